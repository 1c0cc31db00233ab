package worker_test

var operatorFaults = []fault{}
