package main

const (
	shardGo     = "cached/shard.go"
	unorderedGo = "cached/unordered.go"
)

// shards is Unordered: claims by two words, chunks and what is left of them, the floor, splits.
var shards = []mutant{
	{
		name: "shard: a claim of long ago is looked up in the block in front", file: shardGo,
		from: "g.takeSettled(",
		to:   "g.takeSlow(", tests: "^TestRestOfTheBlockInFront$",
	},
	// Claims.
	{
		name: "the claim after a chunk's last gets a UID", file: shardGo,
		from: "v <= last {",
		to:   "v <= last+1 {", tests: "^TestLastOfAChunk$",
	},
	{
		name: "a chunk's last UID is given up", file: shardGo,
		from: "v <= last {",
		to:   "v < last {", tests: "^TestLastOfAChunk$",
	},
	{
		name: "a shard is shut by last alone", file: shardGo,
		from: "	pos := s.cursor.Swap(shardShut)\n",
		to:   "	pos := s.cursor.Load()\n", tests: "^TestPartsAreWithdrawn$",
	},
	{
		name: "a shard is shut by the cursor alone", file: shardGo,
		from: "	s.last.Store(0)\n",
		to:   "", tests: "^TestPartsAreWithdrawn$",
	},
	{
		name: "what the refill returns is in the chunk as well", file: shardGo,
		from: "	if s.cursor.Swap(next-1) != shardShut {",
		to:   "	if s.cursor.Swap(next-2) != shardShut {", tests: "^TestShardHandsOutAll$",
	},
	{
		name: "a chunk begins one late", file: shardGo,
		from: "			s.open(v+1, v+n)\n",
		to:   "			s.open(v+2, max(v+2, v+n))\n", tests: "^TestShardHandsOutAll$",
	},
	{
		name: "a chunk ends one late", file: shardGo,
		from: "			s.open(v+1, v+n)\n",
		to:   "			s.open(v+1, v+n+1)\n", tests: "^TestShardHandsOutAll$",
	},
	{
		name: "an empty chunk is opened", file: shardGo,
		from: "	if next == end {\n		return\n	}\n",
		to:   "", tests: "^TestEmptyChunk$",
	},
	{
		name: "two goroutines refill a shard at once", file: shardGo,
		from: "	if !s.mu.TryLock() {\n		return g.GetUID()\n	}\n",
		to:   "	if !s.mu.TryLock() {\n		defer s.mu.Lock()\n	}\n", tests: "^TestDrawDuringRefill$",
	},

	// Chunks and what is left of claims.
	{
		name: "a chunk goes on in the next tick", file: shardGo,
		from: "		n := min(c.end-pos, g.ring.Left(pos))\n",
		to:   "		n := c.end - pos\n", tests: "^TestShardHandsOutAll$",
	},
	{
		name: "what is left of a claim in the next tick is forgotten", file: shardGo,
		from: "	s.pos, s.end = c.pos, c.end\n",
		to:   "	s.pos, s.end = 0, 0\n", tests: "^TestShardHandsOutAll$",
	},
	{
		name: "what is left of a claim begins where the claim did", file: shardGo,
		from: "		c.pos += n\n",
		to:   "", tests: "^TestShardHandsOutAll$",
	},
	{
		name: "a shard keeps a claim that its caller waits for", file: shardGo,
		from: "		c.pos = c.end\n",
		to:   "", tests: "^TestShardWaits$",
	},
	{
		name: "what the ring has passed over of a claim is not counted", file: shardGo,
		from: "			g.counts.lost.Add(rest)\n",
		to:   "			_ = rest\n", tests: "^TestRestIsGone$",
	},
	{
		name: "chunks do not grow", file: shardGo,
		from: "		s.chunk = min(2*s.chunk, maxLaneChunk)\n",
		to:   "", tests: "^TestChunksGrow$",
	},
	{
		name: "a shard that seldom is used goes on with large chunks", file: shardGo,
		from: "		g.counts.lost.Add(last - pos)\n		s.chunk = minLaneChunk\n",
		to:   "		g.counts.lost.Add(last - pos)\n", tests: "^TestPartsAreWithdrawn$",
	},
	{
		name: "what is withdrawn from a shard is not counted", file: shardGo,
		from: "		g.counts.lost.Add(last - pos)\n",
		to:   "", tests: "^TestPartsAreWithdrawn$",
	},

	// The floor.
	{
		name: "a shard is opened without a look at the floor", file: shardGo,
		from: "		if v >= g.floor.Load() {",
		to:   "		if true {", tests: "^TestRestIsStale$",
	},
	{
		name: "the same, and the reservation was revoked", file: shardGo,
		from: "		if v >= g.floor.Load() {",
		to:   "		if true {", tests: "^TestRestIsRevoked$",
	},
	{
		name: "a shard is opened before the look at the floor", file: shardGo,
		from: "		if v >= g.floor.Load() {\n			s.open(v+1, v+n)\n		} else {\n",
		to:   "		s.open(v+1, v+n)\n		if v < g.floor.Load() {\n			s.last.Store(0)\n			s.cursor.Store(shardShut)\n", tests: "^TestRestIsStale$",
	},
	{
		name: "what begins at the floor is stale", file: shardGo,
		from: "		if v >= g.floor.Load() {",
		to:   "		if v > g.floor.Load() {", tests: "^TestRestAtTheFloor$",
	},
	{
		name: "who finds a chunk stale gets its first UID", file: shardGo,
		from: "			pos = noClaim\n",
		to:   "", tests: "^TestRestIsStale$",
	},
	{
		name: "a stale chunk is not counted", file: shardGo,
		from: "			g.counts.lost.Add(n)\n",
		to:   "", tests: "^TestRestIsStale$",
	},
	{
		name: "the floor is raised after shards were withdrawn", file: "cached/floor.go",
		from: "		g.floor.Store(floor)\n",
		to:   "		defer g.floor.Store(floor)\n", tests: "^TestFloorIsRaisedFirst$",
	},
	{
		name: "shards that are being refilled are not waited for", file: shardGo,
		from: "	s.mu.Lock()\n	if s.last.Load() < floor {",
		to:   "	if s.last.Load() == 0 {\n		return\n	}\n	s.mu.Lock()\n	if s.last.Load() < floor {", tests: "^TestWithdrawWaitsForRefills$",
	},
	{
		name: "withdraw passes shards that are being refilled", file: shardGo,
		from: "	s.mu.Lock()\n	if s.last.Load() < floor {",
		to:   "	if !s.mu.TryLock() {\n		return\n	}\n	if s.last.Load() < floor {", tests: "^TestWithdrawWaitsForRefills$",
	},
	{
		name: "what ends at the floor is withdrawn", file: shardGo,
		from: "	if s.last.Load() < floor {",
		to:   "	if s.last.Load() <= floor {", tests: "^TestPartsAreWithdrawn$",
	},
	{
		name: "parts are not withdrawn", file: shardGo,
		from: "			parts[i].withdraw(floor)\n",
		to:   "			_ = i\n", tests: "^TestPartsAreWithdrawn$",
	},
	{
		name: "some homes are not withdrawn", file: unorderedGo,
		from: "	for i := range o.home {\n		o.home[i].withdraw(floor)\n",
		to:   "	for i := range o.home[:4] {\n		o.home[i].withdraw(floor)\n", tests: "^TestPartsAreWithdrawn$",
	},

	// Splits.
	{
		name: "each chunk's end is a meeting", file: shardGo,
		from: "	case pos > last+1:\n",
		to:   "	case pos > last:\n", tests: "^TestNoSplitAlone$",
	},
	{
		name: "goroutines that meet stay together", file: shardGo,
		from: "		s.meet() // more than one claim was too late\n",
		to:   "", tests: "^TestSharersGetApart$",
	},
	{
		name: "claims during a refill are no meeting", file: shardGo,
		from: "		s.meet() // a claim was too late, and came while the chunk was replaced\n",
		to:   "", tests: "^TestMeetingDuringRefill$",
	},
	{
		name: "meetings now and then add up", file: shardGo,
		from: "		s.meetings--\n",
		to:   "", tests: "^TestFewMeetings$",
	},
	{
		name: "splits have no bound", file: shardGo,
		from: "	if s.o.splits.Add(-1) < 0 {",
		to:   "	if s.o.splits.Add(-1) < -1<<30 {", tests: "^TestSplitsAreBounded$",
	},
	{
		name: "there is one split more", file: shardGo,
		from: "	if s.o.splits.Add(-1) < 0 {",
		to:   "	if s.o.splits.Add(-1) < -1 {", tests: "^TestSplitsAreBounded$",
	},
	{
		name: "a split that may not be counts", file: shardGo,
		from: "		s.o.splits.Add(1)\n",
		to:   "", tests: "^TestSplitsAreBounded$",
	},
	{
		name: "a split that may not be is tried again at each chunk", file: shardGo,
		from: "		s.o.splits.Add(1)\n		s.meetings = 0\n",
		to:   "		s.o.splits.Add(1)\n", tests: "^TestSplitsAreBounded$",
	},
	{
		name: "a shard is split twice", file: shardGo,
		from: "(s.parts.Load() != nil || s.meetings >= splitAfter && s.split())",
		to:   "s.meetings >= splitAfter && s.split()", tests: "^TestSplitOnce$",
	},
	{
		name: "a split loses what is left of a claim", file: shardGo,
		from: "	if s.pos == s.end && (",
		to:   "	if (", tests: "^TestRestBeforeSplit$",
	},
	{
		name: "parts are found by the bits that led to the home", file: shardGo,
		from: "bits.RotateLeft(uint(hash), homeBits)",
		to:   "bits.RotateLeft(uint(hash), 0*homeBits)", tests: "^TestAnyStacksGetApart$",
	},
	{
		name: "parts of parts are found by the same bits", file: shardGo,
		from: "		rest = bits.RotateLeft(rest, partBits)\n",
		to:   "		rest = bits.RotateLeft(rest, 0*partBits)\n", tests: "^TestAnyStacksGetApart$",
	},
	{
		name: "all goroutines come to one home", file: unorderedGo,
		from: "unsafe.Pointer(new(struct{})))>>11*golden>>",
		to:   "unsafe.Pointer(o))>>11*golden>>", tests: "^TestHomesOfStacks$",
	},
	{
		name: "all goroutines come to one part", file: shardGo,
		from: "unsafe.Pointer(new(struct{}))) >> 11 * golden).take()",
		to:   "unsafe.Pointer(s)) >> 11 * golden).take()", tests: "^TestPartsOfStacks$",
	},
}
