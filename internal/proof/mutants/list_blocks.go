package main

// blocks is the ring whose slots are shared by ticks of few UIDs: which ticks a flag and the run in
// front stand for.
var blocks = []mutant{
	{
		name: "a flag stands for ticks of its block before its own", file: ringGo,
		from: "behind <= tick&r.blockMask\n",
		to:   "(tick^flag>>(r.valBits&63))&^r.blockMask == 0\n", tests: "^TestGapInABlock$",
	},
	{
		name: "a block that is left before its end keeps its flag", file: ringGo,
		from: "r.begun(tail) {\n			r.slotOf",
		to:   "false && r.begun(tail) {\n			r.slotOf", tests: "^TestGapInABlock$",
	},
	{
		name: "the flag of a block stands for ticks under another worker ID", file: ringGo,
		from: "ok && before == run {",
		to:   "ok && before != 0 {", tests: "^TestWorkerChangesInABlock$",
	},
	{
		name: "the flag of a block is overwritten while positions are left", file: ringGo,
		from: "	if r.begun(tail) {\n		return",
		to:   "	if false && r.begun(tail) {\n		return", tests: "^TestWorkerChangesInABlock$",
	},
	{
		name: "a block that is not published as a whole is in front", file: ringGo,
		from: "if tail > tick|r.blockMask && ",
		to:   "if tail > tick && ", tests: "^TestOfBlockInPart$",
	},
	{
		name: "the position behind a block lies in it", file: ringGo,
		from: "d < r.blockLen",
		to:   "d <= r.blockLen", tests: "^TestOfBlock$",
	},
	{
		name: "a block that begins late is in front", file: ringGo,
		from: "flag>>(r.valBits&63)&r.blockMask == 0 && ",
		to:   "", tests: "^TestBlockThatBeginsLate$",
	},
	{
		name: "Restart puts a run in front of a ring of blocks", file: ringGo,
		from: "		if r.blockMask == 0 {\n",
		to:   "		if true {\n", tests: "^TestOfBlockInPart$",
	},
	{
		name: "claims behind the last tick are of the block in front", file: ringGo,
		from: "		r.front.Store(noBlock)\n",
		to:   "		r.front.Store(noRun)\n", tests: "^TestBehindTheLastBlock$",
	},
	{
		name: "a block goes on beyond its end", file: ringGo,
		from: "last = min(max(tick, last), tick|r.blockMask)",
		to:   "last = max(tick, last)", tests: "^TestOfBlock$",
	},
	{
		name: "a ring of blocks may have too few bits for ticks", file: ringGo,
		from: "c.BlockBits > 0 && tickBits < minBlockTickBits",
		to:   "c.BlockBits > tickBits", tests: "^TestBlocksOfWrongSizes$",
	},
	{
		name: "a ring of blocks holds more time than one of long ticks", file: "cached/config.go",
		from: "perSecond := max(1, time.Second/l.Unit())",
		to:   "perSecond := max(1<<16, time.Second/l.Unit())", tests: "^TestBlocks$",
	},
	{
		name: "blocks leave a ring fewer slots than it has by default", file: "cached/config.go",
		from: "max(0, min(spare, blockSpan-l.SequenceBits()))",
		to:   "max(0, max(spare, blockSpan-l.SequenceBits()))", tests: "^TestBlocks$",
	},
	{
		name: "a block is published beyond what is reserved", file: "cached/refill.go",
		from: "g.ring.PutThrough(uint64(next), uint64(limit), ",
		to:   "g.ring.PutThrough(uint64(next), uint64(limit)|3, ", tests: "^TestUsableWhileAWorkerChangesInABlock$",
	},
	{
		name: "Close tells the last tick of what is ready", file: "cached/generator.go",
		from: "int64(min(g.ring.Tick(g.ring.Position()-1), g.ring.Tail()-1))",
		to:   "int64(g.ring.Tail() - 1)", tests: "^TestCloseWithinABlock$",
	},
}
