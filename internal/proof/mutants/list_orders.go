package main

// orders are faults in the order of two steps that only chance shows: their tests repeat what
// goroutines do at once, and here for longer than usual. Names in capitals are those of the same
// faults in the Promela models.
var orders = []mutant{
	{
		name: "Close looks for the last tick before the ring is shut (M_LAST_EARLY)", file: generatorGo,
		from:  "	g.ring.Shut()\n	g.counts.lost.Add(g.queue.withdraw())\n	g.setFloor(allStale)\n	g.last = g.newest()\n",
		to:    "	g.last = g.newest()\n	g.ring.Shut()\n	g.counts.lost.Add(g.queue.withdraw())\n	g.setFloor(allStale)\n",
		tests: "^TestCloseTellsTheLastTick$", env: "UID_STRESS_ROUNDS=50000",
	},
	{
		name: "a Lane looks at the floor before its last is stored", file: laneGo,
		from:  "		atomic.StoreInt64(&l.last, l.end)\n		if l.rest.next >= g.floor.Load() {\n",
		to:    "		fresh := l.rest.next >= g.floor.Load()\n		atomic.StoreInt64(&l.last, l.end)\n		if fresh {\n",
		tests: "^TestLaneBesideAWithdrawal$", env: "UID_STRESS_ROUNDS=50000000",
	},
	{
		name: "a taker reads a shard's last after it has claimed (M_LAST_AFTER)", file: shardGo,
		from:  "	if last := s.last.Load(); last != 0 {\n		if v := s.cursor.Add(1); v <= last {\n",
		to:    "	if s.last.Load() != 0 {\n		if v := s.cursor.Add(1); v <= s.last.Load() {\n",
		tests: "^TestLateClaims$", env: "UID_STRESS_ROUNDS=3000",
	},
	{
		name: "uncached looks at the grant before it takes (M_RECHECK_FIRST)", file: glanceTakeGo,
		from: "		if !mark.CompareAndSwap(at, next+taken-1) {\n			continue\n		}\n		if g.tenure.Grant() != gr {\n" +
			"			return 0, 0, outdated // the positions stay unused\n		}\n",
		to: "		if g.tenure.Grant() != gr {\n			return 0, 0, outdated\n		}\n" +
			"		if !mark.CompareAndSwap(at, next+taken-1) {\n			continue\n		}\n",
		tests: "^TestCloseTellsTheLastTick$", env: "UID_STRESS_ROUNDS=50000",
	},
	{
		name: "the wall clock's tick is read before its limit (M_KNOWN_FIRST)", file: glanceGo,
		from:  "	limit := c.limit.Load()\n	known := c.known.Load()\n",
		to:    "	known := c.known.Load()\n	limit := c.limit.Load()\n",
		tests: "^TestTickOfAReadingBefore$", env: "UID_STRESS_ROUNDS=20000000",
	},
	{
		name: "the wall clock's limit is set before its tick (M_LIMIT_FIRST)", file: glanceGo,
		from:  "	c.known.Store(tick)\n	c.limit.Store(int64(at + min(glance, ticks.Until(c.terms, now, tick+1))))\n",
		to:    "	c.limit.Store(int64(at + min(glance, ticks.Until(c.terms, now, tick+1))))\n	c.known.Store(tick)\n",
		tests: "^TestTickOfAReadingBefore$", env: "UID_STRESS_ROUNDS=20000000",
	},
}
