package main

const fillGo = "cached/fill.go"

// fills are faults in taking many UIDs at once.
var fills = []mutant{
	{
		name: "Fill goes on past the end of a tick", file: fillGo,
		from: "want <= g.ring.Left(pos) && !g.ring.Enters(pos)",
		to:   "!g.ring.Enters(pos)", tests: "Fill",
	},
	{
		name: "Fill takes what is not published", file: fillGo,
		from: "if state == ringbuffer.Taken && want <=",
		to:   "if state <= ringbuffer.NotOpen && want <=", tests: "Fill",
	},
	{
		name: "Fill does not top up the ring", file: fillGo,
		from: "want <= g.ring.Left(pos) && !g.ring.Enters(pos)",
		to:   "want <= g.ring.Left(pos)", tests: "Fill",
	},
	{
		name: "Fill writes the same eight again", file: "internal/consecutive/consecutive.go",
		from: "		first += 8\n",
		to:   "",
	},
}
