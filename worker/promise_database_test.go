package worker_test

var databaseFaults = []fault{}
