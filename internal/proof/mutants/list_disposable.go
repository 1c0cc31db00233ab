package main

// disposables are faults in what a table of disposable IDs, a session or an environment may
// look like without doing harm.
var disposables = []mutant{
	{
		name: "a second row of a host and port fails the start", file: "worker/disposable.go",
		from: "if isDuplicate(err) {", to: "if false {", tests: "^TestUniqueHostAndPort",
	},
	{
		name: "a COMMIT does what the session's completion_type says", file: "worker/transaction.go",
		from: `"COMMIT AND NO CHAIN NO RELEASE"`, to: `"COMMIT"`, tests: "^TestCompletionType",
	},
	{
		name: "a blank variable is a host or a port", file: "worker/host.go",
		from: `strings.TrimSpace(v) != ""`, to: `v != ""`, tests: "^TestHost$",
	},
	{
		name: "an ID INT is called an error", file: "worker/columns.go",
		from: `kind == "bigint" || kind == "int"`, to: `kind == "bigint"`, tests: "^TestJudgeTable",
	},
}
