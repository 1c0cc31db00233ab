package main

// disposables are faults in what a table of disposable IDs, a session or an environment may
// look like without doing harm.
var disposables = []mutant{
	{
		name: "a blank variable is a host or a port", file: "worker/host.go",
		from: `strings.TrimSpace(v) != ""`, to: `v != ""`, tests: "^TestHost$",
	},
}
