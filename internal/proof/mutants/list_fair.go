package main

const (
	fairQueueGo    = "cached/queue.go"
	fairWaitGo     = "cached/wait.go"
	fairUncachedGo = "default/queue.go"
)

// fairness is the queues of calls that wait: who is served when, and what becomes of what was given
// to a call that has not collected it.
var fairness = []mutant{
	{
		name: "what was allotted is allotted again", file: ringGo,
		from: "	r.resume += got\n",
		to:   "", tests: "^TestAllot",
	},
	{
		name: "positions of an open ring are allotted", file: ringGo,
		from: "if !r.isShut || r.Tick(r.resume) >= r.tail.Load() {",
		to:   "if r.Tick(r.resume) >= r.tail.Load() {", tests: "^TestAllot$",
	},
	{
		name: "the first tick that is not published is allotted", file: ringGo,
		from: "if !r.isShut || r.Tick(r.resume) >= r.tail.Load() {",
		to:   "if !r.isShut || r.Tick(r.resume) > r.tail.Load() {", tests: "^TestAllot$",
	},
	{
		name: "more is allotted than a tick has left", file: ringGo,
		from: "	got = min(n, r.Left(pos))\n",
		to:   "	got = n\n", tests: "^TestAllot$",
	},
	{
		name: "what was allotted does not count as claimed", file: ringGo,
		from: "	r.claimed += got\n",
		to:   "", tests: "^TestAllot$",
	},
	{
		name: "the ring is opened past the calls that wait", file: refillGo,
		from: "for waiting := g.queue.waiting; waiting > 0;",
		to:   "for waiting := 0; waiting > 0;", tests: "^TestServedBeforeTheClockIsSeen$",
	},
	{
		name: "what served calls made room for is not published", file: refillGo,
		from: "			rejected = g.put(int64(g.ring.Tail()), now, grant) // they may have made room for more\n",
		to:   "			break\n", tests: "^TestServedFromMoreThanTheRing$",
	},
	{
		name: "who comes last is served first", file: fairQueueGo,
		from: "	w.at = q.line.PushBack(w)\n	if q.next == nil {\n		q.next = w.at\n	}\n",
		to:   "	w.at = q.line.PushFront(w)\n	q.next = w.at\n", tests: "^TestQueue",
	},
	{
		name: "claims that ran over the end are not sorted", file: fairQueueGo,
		from: "			if w.pos < pos {",
		to:   "			if false {", tests: "^TestQueueOrder$|^TestQueuePassedOver$",
	},
	{
		name: "a call that was passed over queues again at the end", file: fairQueueGo,
		from: "		if missed == nil {\n",
		to:   "		if true {\n", tests: "^TestQueuePassedOver$",
	},
	{
		name: "who leaves the head of the queue takes the others along", file: fairQueueGo,
		from: "		q.next = w.at.Next()\n	}\n	q.line",
		to:   "		q.next = nil\n	}\n	q.line", tests: "^TestQueueLeave$",
	},
	{
		name: "a call that gives up keeps its place", file: takeGo,
		from: "		lost = w.at == nil\n		g.queue.leave(w)\n",
		to:   "		lost = w.at == nil\n", tests: "^TestGivingUpFreesThePlace$",
	},
	{
		name: "nobody watches the clock for the first that waits", file: takeGo,
		from: "		if g.queue.waiting == 1 {\n",
		to:   "		if false {\n", tests: "^TestFirstComeFirstServed$",
	},
	{
		name: "a revocation leaves calls what they were given", file: generatorGo,
		from: "	g.counts.lost.Add(g.queue.withdraw())\n	g.setFloor(allStale)\n	g.state.parked",
		to:   "	g.setFloor(allStale)\n	g.state.parked", tests: "^TestRevocationTakesBack$",
	},
	{
		name: "after a revocation nobody watches the clock for those from whom something was taken back", file: generatorGo,
		from: "	g.state.parked = false // those",
		to:   "	// those", tests: "^TestRevocationTakesBack$",
	},
	{
		name: "Close leaves calls what they were given", file: generatorGo,
		from: "	g.counts.lost.Add(g.queue.withdraw())\n	g.setFloor(allStale)\n	g.last",
		to:   "	g.setFloor(allStale)\n	g.last", tests: "^TestRevocationTakesBack$",
	},
	{
		name: "a call is told of the next tick, though others take it", file: fairWaitGo,
		from: "g.ring.Tick(begin+g.queue.wanted)",
		to:   "g.ring.Tick(begin)", tests: "^TestTheWaitIsTold$",
	},
	{
		name: "a nap in which no time passed counts", file: "internal/nap/nap.go",
		from: "return d <= Longest && sleep(d) && time.Since(began) >= d",
		to:   "return d <= Longest && sleep(d) && time.Since(began) >= 0", tests: "^TestSleepOfOtherTime$",
	},
	{
		name: "a call passes those that wait", file: "default/take.go",
		from: "	if g.queue.waiting.Load() > 0 {\n",
		to:   "	if false {\n", tests: "^TestServedBeforeTheClockIsSeen$",
	},
	{
		name: "who comes last waits in front", file: fairUncachedGo,
		from: "	w.at = q.line.PushBack(w)\n",
		to:   "	w.at = q.line.PushFront(w)\n", tests: "^TestFirstComeFirstServed$",
	},
	{
		name: "a call that gives up keeps its place in front of others", file: fairUncachedGo,
		from: "		q.drop(w)\n		if e",
		to:   "		if e", tests: "^TestGivingUpFreesThePlace$",
	},
	{
		name: "nobody succeeds the first when it gives up", file: fairUncachedGo,
		from: "			e.Value.(*waiter).signal() // it may",
		to:   "			_ = e.Value // it may", tests: "^TestGivingUpFreesThePlace$",
	},
	{
		name: "nobody succeeds the first when it is served", file: fairUncachedGo,
		from: "				first.signal() // it watches",
		to:   "				// it watches", tests: "^TestFirstComeFirstServed$",
	},
	{
		name: "a call collects what is not reserved any more", file: fairUncachedGo,
		from: "	if gr != w.grant && (",
		to:   "	if false && (", tests: "^TestRevocationTakesBack$",
	},
}
