package worker_test

var fileFaults = []fault{}
