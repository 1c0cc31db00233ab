package main

const recordGo = "internal/proof/record/record.go"

// records is what the record of all UIDs has to notice, by which the fleet and the soak
// judge.
var records = []mutant{
	{
		name: "the record does not mind a UID that comes again", file: recordGo,
		from: "&mask != 0 {\n", to: "&mask != 0 && by == 0 {\n", tests: "^TestMark$",
	},
	{
		name: "the record does not mind two processes in a tick", file: recordGo,
		from: "first.Process() != by.Process()", to: "first.Process() == 0", tests: "^TestMark$",
	},
	{
		name: "the record passes over UIDs of no time that can be", file: recordGo,
		from: "		r.Report(Outside, by, u, r.First)\n", to: "", tests: "^TestMark$",
	},
	{
		name: "the record forgets a worker ID's newest tick", file: recordGo,
		from: "	Raise(&r.last[workerID], tick+1)\n", to: "	Raise(&r.last[workerID], min(tick, 0))\n", tests: "^TestMark$",
	},
}
