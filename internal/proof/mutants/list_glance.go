package main

const (
	glanceGo          = "default/wallclock.go"
	glanceGeneratorGo = "default/generator.go"
	glanceTakeGo      = "default/take.go"
)

// glances is how the generator without a ring relies on a reading of the wall clock for up to a
// millisecond.
var glances = []mutant{
	{
		name: "glance: the clock is never read anew", file: glanceGo,
		from: "if uint64(limit-int64(at)-1) < uint64(glance) {",
		to:   "if limit != none {", tests: "^TestReadings$",
	},
	{
		name: "glance: a reading counts for a nanosecond too long", file: glanceGo,
		from: "uint64(limit-int64(at)-1) < uint64(glance)",
		to:   "uint64(limit-int64(at)) <= uint64(glance)", tests: "^TestReadings$",
	},
	{
		name: "glance: the limit of another monotonic clock counts", file: glanceGo,
		from: "uint64(limit-int64(at)-1) < uint64(glance)",
		to:   "int64(at) < limit", tests: "^TestOtherMonotonicClock$",
	},
	{
		name: "glance: a tick's end is not minded", file: glanceGo,
		from: "min(glance, ticks.Until(c.terms, now, tick+1))",
		to:   "glance+0*ticks.Until(c.terms, now, tick+1)", tests: "^TestReadings$",
	},
	{
		name: "glance: no reading is relied on but at the end of a tick", file: glanceGo,
		from: "min(glance, ticks.Until(c.terms, now, tick+1))",
		to:   "ticks.Until(c.terms, now, tick+1)", tests: "^TestReadings$",
	},
	{
		name: "glance: the limit counts from the end of the reading", file: glanceGo,
		from: "c.limit.Store(int64(at + min(",
		to:   "c.limit.Store(int64(time.Since(c.born) + min(", tests: "^TestHeldUpWhileReading$",
	},
	{
		name: "glance: the reading before counts while another is under way", file: glanceGo,
		from: "	c.limit.Store(none)\n",
		to:   "", tests: "^TestReadingUnderWay$",
	},
	{
		name: "glance: a step back that was found is not noted", file: glanceTakeGo,
		from: "if now = g.clock.look(); g.",
		to:   "if now = g.now(); g.", tests: "^TestStepSeenByAll$",
	},
	{
		name: "glance: several marks rely on one reading", file: glanceGo,
		from: "return len(g.marks) == 1 && g.unit >= glance",
		to:   "return g.unit >= glance", tests: "^TestReadsEachTime$",
	},
	{
		name: "glance: short ticks rely on one reading", file: glanceGo,
		from: "return len(g.marks) == 1 && g.unit >= glance",
		to:   "return len(g.marks) == 1", tests: "^TestReadsEachTime$",
	},
	{
		name: "glance: the configured clock is not read for each UID", file: glanceGeneratorGo,
		from: "g.clock.each = ownClock || !g.glances()",
		to:   "g.clock.each = ownClock && !g.glances()", tests: "^TestReadsEachTime$",
	},
}
