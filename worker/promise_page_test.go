package worker_test

func renderPromise() string { return "" }
