package main

const (
	numbersGo        = "internal/proof/record/numbers.go"
	segmentLedgerGo  = "internal/engines/segments/ledger.go"
	segmentCheckGo   = "internal/engines/segments/check.go"
	segmentHistoryGo = "internal/engines/segments/history.go"
)

// segmentProof is what the proof of segments has to notice: numbers that come twice, and numbers that
// are skipped without a reason.
var segmentProof = []mutant{
	{
		name: "the record does not mind a number that comes again", file: numbersGo,
		from: "again != 0 {", to: "again > 1<<63 {", tests: "^TestNumbers$",
	},
	{
		name: "the record marks one number too many of a word", file: numbersGo,
		from: "(63 - uint(until-first)) << bit", to: "max(0, 62-uint(until-first)) << bit", tests: "^TestNumbersAgainstList$",
	},
	{
		name: "numbers without a bit are marked nowhere", file: numbersGo,
		from: "		n.head.outside.Add(uint64(last - first + 1))\n", to: "", tests: "^TestNumbers$",
	},
	{
		name: "holes end where a word does", file: numbersGo,
		from: "at = n.find(from, next, true)", to: "at = min(n.find(from, next, true), from|63+1)", tests: "^TestNumbersAgainstList$",
	},
	{
		name: "a process keeps all that it ever took", file: segmentLedgerGo,
		from: "if old.nth.Load() < from {", to: "if false {", tests: "^(TestLedger|TestJudgeSkippedBefore)$",
	},
	{
		name: "what was drawn and is not marked yet is forgotten", file: segmentLedgerGo,
		from: "		from = min(from, l.drawing[i].Load())\n", to: "		_ = i\n", tests: "^TestLedgerDrawing$",
	},
	{
		name: "takes that were given back count as those in hand", file: segmentLedgerGo,
		from: "	from := l.oldest()\n", to: "	from := l.takes.Load() - 1\n", tests: "^TestLedgerDrawing$",
	},
	{
		name: "a range for which there is no room is taken all the same", file: segmentLedgerGo,
		from: "	if s.full() {\n", to: "	if s.full() && false {\n", tests: "^(TestLedgerFull|TestJudgeSlowDrawer)$",
	},
	{
		name: "a ledger that was full once is full for good", file: segmentLedgerGo,
		from: "	l.forget()\n	return len", to: "	return len", tests: "^TestLedgerFull$",
	},
	{
		name: "a failure does not tell who decided about the numbers", file: segmentCheckGo,
		from: "first, last, n, m.tell(first, last))", to: "first, last, n, \"\")", tests: "^TestJudgeSkippedBefore$",
	},
	{
		name: "a history forgets what overlaps in part", file: segmentHistoryGo,
		from: "d.first.Load() <= last && d.last.Load() >= first", to: "d.first.Load() >= first && d.last.Load() <= last", tests: "^TestHistory$",
	},
	{
		name: "a take is noted after it is stored", file: segmentLedgerGo,
		from: "mine = s.add(isOpen, next, row.Next-1)", to: "mine = &span{}", tests: "^TestLedger$",
	},
	{
		name: "a take that was refused counts", file: segmentLedgerGo,
		from: "			mine.state.Store(isFree)\n			mine = nil\n", to: "			mine = nil\n", tests: "^TestLedgerRaced$",
	},
	{
		name: "a take that the row has is not seen", file: segmentLedgerGo,
		from: "		if o.last.Load() == row.Takers[i].Last {", to: "		if false {", tests: "^TestLedger$",
	},
	{
		name: "a take that can no longer come is kept", file: segmentLedgerGo,
		from: "		if s.knows {\n", to: "		if false {\n", tests: "^TestLedger$",
	},
	{
		name: "a row that has forgotten the taker is believed", file: segmentLedgerGo,
		from: "s.knows = i >= 0 || len(row.Takers) < segment.MaxTakers", to: "s.knows = true", tests: "^TestLedgerForgotten$",
	},
	{
		name: "what was given back is still there", file: segmentLedgerGo,
		from: "			s.last.Store(first - 1)\n", to: "", tests: "^TestLedger$",
	},
	{
		name: "no room is no matter", file: segmentLedgerGo,
		from: "	l.overflow.Add(1)\n", to: "", tests: "^TestLedgerFull$",
	},
	{
		name: "duplicates pass", file: segmentCheckGo,
		from: "	if v.doubles > 0 {", to: "	if false {", tests: "^(TestJudgeFinds|TestWrongStores)$",
	},
	{
		name: "holes need no reason", file: segmentCheckGo,
		from: "n > 0 && told < mostTold", to: "n < 0 && told < mostTold", tests: "^(TestJudgeFinds|TestJudgeSkippedBefore)$",
	},
	{
		name: "holes may be more than was in hand", file: segmentCheckGo,
		from: "if v.holes > v.inHand {", to: "if false {", tests: "^TestJudgeFinds$",
	},
	{
		name: "numbers outside of the record pass", file: segmentCheckGo,
		from: "n := m.Outside(); n > 0", to: "n := m.Outside(); n > 9", tests: "^TestJudgeFinds$",
	},
	{
		name: "numbers that the store never gave pass", file: segmentCheckGo,
		from: "	case n >= next:", to: "	case false:", tests: "^TestJudgeFinds$",
	},
	{
		name: "a closed generator may say what it likes", file: segmentCheckGo,
		from: "had != says {", to: "had < 0 {", tests: "^TestJudgeFinds$",
	},
	{
		name: "a generator may find numbers lost that are not", file: segmentCheckGo,
		from: "	case p.lost.Load() > 0:", to: "	case p.lost.Load() > 1:", tests: "^TestJudgeFinds$",
	},
	{
		name: "a number in two ranges counts twice", file: segmentCheckGo,
		from: "			at = to + 1\n", to: "", tests: "^TestCovered$",
	},
}
