package main

const (
	segmentDecideGo    = "segment/decide.go"
	segmentTakeGo      = "segment/take.go"
	segmentReserveGo   = "segment/reserve.go"
	segmentReleaseGo   = "segment/release.go"
	segmentGeneratorGo = "segment/generator.go"
	segmentSpanGo      = "segment/span.go"
	segmentConfigGo    = "segment/config.go"
	segmentDailyGo     = "segment/daily.go"
	segmentSharedGo    = "segment/shared.go"
	segmentStoreGo     = "segment/store.go"
	segmentRegistryGo  = "segment/registry.go"
)

// segments are faults of package segment: in what is decided about a row, and in how positions
// become numbers.
var segments = []mutant{
	{
		name: "a row that vanished is made anew", file: segmentDecideGo,
		from: "case row.Fresh && (row.Floor > 0 || t.seen != progress{}):", to: "case false:", tests: "^TestDecisions$",
	},
	{
		name: "what a generator has written itself counts for nothing", file: segmentReserveGo,
		from: "	if err == nil {\n\t\tt.seen = t.wrote\n\t}\n", to: "", tests: "^TestMadeAndRemoved$",
	},
	{
		name: "a number that was lowered is given out again", file: segmentDecideGo,
		from: "case row.Next < row.Floor:", to: "case false:", tests: "^TestLoweredByHand$",
	},
	{
		name: "a row forgets how far its number was", file: segmentStoreGo,
		from: "r.Writes, r.Floor = r.Writes+1, r.Next", to: "r.Writes++", tests: "^TestLoweredByHand$",
	},
	{
		name: "a row forgets that it was written", file: segmentStoreGo,
		from: "r.Writes, r.Floor = r.Writes+1, r.Next", to: "r.Floor = r.Next", tests: "^(TestReleaseOfNeighbours|TestDecisions)$",
	},
	{
		name: "an older row than was seen is believed", file: segmentDecideGo,
		from: "case is.before(t.seen):", to: "case false:", tests: "^TestWhoHasOnlyRead$",
	},
	{
		name: "what was only read counts for nothing", file: segmentDecideGo,
		from: "	t.seen = is\n", to: "", tests: "^TestWhoHasOnlyRead$",
	},
	{
		name: "the next number alone says how far a row is", file: segmentDecideGo,
		from: "m.writes < other.writes || m.writes == other.writes && m.next < other.next", to: "m.next < other.next", tests: "^TestReleaseOfNeighbours$",
	},
	{
		name: "the writes alone say how far a row is", file: segmentDecideGo,
		from: "m.writes < other.writes || m.writes == other.writes && m.next < other.next", to: "m.writes < other.writes", tests: "^TestDecisions$",
	},
	{
		name: "giving back leaves how far the number was", file: segmentDecideGo,
		from: "row.Takers[i].Last = r.First - 1\n\tt.stamp(row)", to: "row.Takers[i].Last = r.First - 1", tests: "^(TestRelease|TestDecisions)$",
	},
	{
		name: "a row remembers 32 takers, and a fleet is larger", file: segmentStoreGo,
		from: "const MaxTakers = 256", to: "const MaxTakers = 32", tests: "^TestFleetLosesItsLastTakes$",
	},
	{
		name: "a generator is made on a store that is refused", file: segmentGeneratorGo,
		from: "if err := g.examine(ctx); refused(err) {", to: "if err := g.examine(ctx); false {", tests: "^TestLossyStore$",
	},
	{
		name: "a store that does not answer refuses", file: segmentGeneratorGo,
		from: "if err := g.examine(ctx); refused(err) {", to: "if err := g.examine(ctx); err != nil {", tests: "^TestStartInAnOutage$",
	},
	{
		name: "a store that cannot hold the rows is an outage", file: segmentReserveGo,
		from: "errors.Is(err, ErrLossy) || errors.Is(err, uid.ErrConfig)", to: "errors.Is(err, ErrLossy)", tests: "^TestLossyStore$",
	},
	{
		name: "a refusal is told as an outage", file: segmentReserveGo,
		from: "case stage == over && refused(s.failed):", to: "case false:", tests: "^TestLossyStore$",
	},
	{
		name: "a call looks for its number from a front that it reads after its claim", file: segmentGeneratorGo,
		from: "func (g *Generator) GetUID() (uid.UID, error) {\n\ts := g.front.Load()\n\tpos := g.ring.Claim(1)\n",
		to:   "func (g *Generator) GetUID() (uid.UID, error) {\n\tpos := g.ring.Claim(1)\n\ts := g.front.Load()\n", tests: "^TestAdvance$",
	},
	{
		name: "a tag that the store does not have is made", file: segmentDecideGo,
		from: "if !t.create {", to: "if false {", tests: "^TestNoTag$",
	},
	{
		name: "a store that went back is believed", file: segmentDecideGo,
		from: "if t.took && row.Next <= t.own {",
		to:   "if false {", tests: "^(TestLost|TestDecisions)$",
	},
	{
		name: "what lies below the numbers that were given back counts as the generator's own", file: segmentReleaseGo,
		from: "	g.taking.own = s.newest\n	if s.current != nil {\n		g.taking.own = s.current.Last\n	}\n", to: "	g.taking.own = r.First - 1\n", tests: "^TestReleaseOfNeighbours$",
	},
	{
		name: "what is in hand no longer counts once others were given back", file: segmentReleaseGo,
		from: "		g.taking.own = s.current.Last\n", to: "\n", tests: "^TestReleaseKeepsItsOwn$",
	},
	{
		name: "a row that knows of another take is believed", file: segmentDecideGo,
		from: "case i >= 0 && t.took && (row.Takers[i].Last == t.has ||", to: "case i >= 0 && t.took && (row.Takers[i].Last <= t.has ||", tests: "^TestDecisions$",
	},
	{
		name: "a row without the generator's note is believed", file: segmentDecideGo,
		from: "case !t.took, len(row.Takers) >= MaxTakers && t.own <= row.Takers[0].Last:",
		to:   "default:\n\t\treturn Range{}, nil\n\tcase false:", tests: "^TestLost$",
	},
	{
		name: "a full row is believed to have forgotten whatever it lacks", file: segmentDecideGo,
		from: "len(row.Takers) >= MaxTakers && t.own <= row.Takers[0].Last:",
		to:   "len(row.Takers) >= MaxTakers:", tests: "^TestDecisions$",
	},
	{
		name: "a row that has forgotten the generator is a loss", file: segmentDecideGo,
		from: "case !t.took, len(row.Takers) >= MaxTakers && t.own <= row.Takers[0].Last:",
		to:   "case !t.took:", tests: "^TestForgotten$",
	},
	{
		name: "what was taken by a write whose reply was lost is not taken up", file: segmentReserveGo,
		from: "\t\t\tt.doubt(r)\n", to: "\n", tests: "^TestLostReplies$",
	},
	{
		name: "of writes that end alike the first is taken for the one that is stored", file: segmentDecideGo,
		from: "t.open = append(slices.DeleteFunc(t.open, func(o Range) bool { return o.Last == r.Last }), r)",
		to:   "t.open = append(t.open, r)", tests: "^TestOpenRanges$",
	},
	{
		name: "a take goes beyond the last number", file: segmentDecideGo,
		from: "min(max(n, row.Step), t.last-first+1)", to: "max(n, row.Step)", tests: "^TestBounds$",
	},
	{
		name: "a take begins below the first number", file: segmentDecideGo,
		from: "first := max(row.Next, t.first)", to: "first := row.Next", tests: "^TestDecisions$",
	},
	{
		name: "a row's own step is ignored", file: segmentDecideGo,
		from: "min(max(n, row.Step), t.last", to: "min(n, t.last", tests: "^TestRowsStep$",
	},
	{
		name: "takers are never forgotten", file: segmentDecideGo,
		from: "if len(row.Takers) >= MaxTakers {", to: "if false {", tests: "^TestForgotten$",
	},
	{
		name: "numbers are given back although others have taken since", file: segmentDecideGo,
		from: "if row.Next != r.Last+1 || i < 0 {",
		to:   "if i < 0 {", tests: "^TestRelease$",
	},
	{
		name: "numbers are given back without a note of who took them", file: segmentDecideGo,
		from: "if row.Next != r.Last+1 || i < 0 {\n",
		to:   "if i < 0 {\n\t\trow.Next = r.First\n\t\treturn true, nil\n\t}\n\tif row.Next != r.Last+1 {\n", tests: "^TestDecisions$",
	},
	{
		name: "the note of what was taken stays when it is given back", file: segmentDecideGo,
		from: "row.Takers[i].Last = r.First - 1", to: "", tests: "^TestDecisions$",
	},
	{
		name: "numbers are issued while they are given back", file: segmentTakeGo,
		from: "if s.ended != nil || s.holding {", to: "if s.ended != nil {", tests: "^TestReleaseHolds$",
	},
	{
		name: "the ring stays open while numbers are given back", file: segmentReleaseGo,
		from: "s.busy, s.holding = true, true\n\tg.ring.Shut()", to: "s.busy, s.holding = true, true", tests: "^(TestRelease|TestReleaseWhileDrawing)$",
	},
	{
		name: "numbers that were given back are issued", file: segmentReleaseGo,
		from: "\t\ts.given += uint64(r.Len())\n\t\tg.drop(r)\n", to: "\t\ts.given += uint64(r.Len())\n", tests: "^TestRelease$",
	},
	{
		name: "numbers that may have been given back are issued", file: segmentReleaseGo,
		from: "\t\ts.dropped += uint64(r.Len())\n\t\tg.drop(r)\n", to: "\t\ts.dropped += uint64(r.Len())\n", tests: "^TestReleaseInDoubt$",
	},
	{
		name: "what may have been given back is forgotten", file: segmentReleaseGo,
		from: "t.back = append(t.back, r.First-1)", to: "", tests: "^TestReleaseInDoubt$",
	},
	{
		name: "bounds stay exhausted when numbers are given back", file: segmentReleaseGo,
		from: "if errors.Is(s.failed, uid.ErrExhausted) {", to: "if false {", tests: "^TestReleaseOfTheLast$",
	},
	{
		name: "numbers in use are given back although others lie between", file: segmentReleaseGo,
		from: "case rest.Len() > 0 && rest.Last+1 == s.stock.First:", to: "case rest.Len() > 0:", tests: "^TestRelease$",
	},
	{
		name: "numbers are issued after a loss", file: segmentReserveGo,
		from: "\t\tg.ring.Shut()\n\t\ts.ended = ", to: "\t\ts.ended = ", tests: "^TestLost$",
	},
	{
		name: "a lossy store is used", file: segmentReserveGo,
		from: "if err != nil || len(lossy) == 0 {", to: "if true {", tests: "^TestLossyStore$",
	},
	{
		name: "a store that was found to be lossy is not looked at again", file: segmentSharedGo,
		from: "if fresh && len(lossy) == 0 {", to: "if fresh {\n\t\treturn nil, nil\n\t}\n\tif false {", tests: "^TestLossyStore$",
	},
	{
		name: "more numbers are asked for only when there are none", file: segmentReserveGo,
		from: "g.ring.Position() < s.current.tail.first {", to: "g.left() > 0 {", tests: "^TestAhead$",
	},
	{
		name: "nobody asks when the late part begins", file: segmentTakeGo,
		from: "g.front.CompareAndSwap(front, s) && s.late {", to: "g.front.CompareAndSwap(front, s) && false {", tests: "^TestAhead$",
	},
	{
		name: "steps do not grow", file: segmentReserveGo,
		from: "step *= 2", to: "step *= 1", tests: "^TestStepAdapts$",
	},
	{
		name: "steps do not shrink", file: segmentReserveGo,
		from: "step /= 2", to: "step /= 1", tests: "^TestStepAdapts$",
	},
	{
		name: "starved steps grow no faster", file: segmentReserveGo,
		from: "step *= 8", to: "step *= 2", tests: "^TestStarvedStepsGrowFaster$",
	},
	{
		name: "the step has no upper bound", file: segmentReserveGo,
		from: "min(max(step, g.cfg.MinStep), g.cfg.MaxStep)", to: "max(step, g.cfg.MinStep)", tests: "^TestStepAdapts$",
	},
	{
		name: "attempts have no pauses", file: segmentReserveGo,
		from: "time.AfterFunc(pause/2+rand.N(pause/2),", to: "time.AfterFunc(200*time.Millisecond+0*rand.N(pause/2),", tests: "^TestOutage$",
	},
	{
		name: "a store that comes back is not noticed by itself", file: segmentReserveGo,
		from: "\t\ts.retry = nil\n\t\tg.plan()\n", to: "\t\ts.retry = nil\n", tests: "^TestOutage$",
	},
	{
		name: "failures that do not pass are tried as often", file: segmentReserveGo,
		from: "longest = idlePause", to: "longest = maxPause", tests: "^TestFinalFailures$",
	},
	{
		name: "all tags ask at once", file: segmentSharedGo,
		from: "make(chan struct{}, atOnce)", to: "make(chan struct{}, 1000*atOnce)", tests: "^TestStampede$",
	},
	{
		name: "nobody is warned while numbers are left", file: segmentReserveGo,
		from: "case now.Sub(s.since) >= tellAfter || known && lasts < health.Minute:", to: "case false && known:", tests: "^TestOutage$",
	},
	{
		name: "each failure is a warning", file: segmentReserveGo,
		from: "case now.Sub(s.since) >= tellAfter || known && lasts < health.Minute:", to: "case known || true:", tests: "^TestShortOutage$",
	},
	{
		name: "both parts of a segment have the same numbers", file: segmentSpanGo,
		from: "base: base + early, late: true", to: "base: base, late: true", tests: "^TestDense$",
	},
	{
		name: "the front is believed whatever the position", file: segmentGeneratorGo,
		from: "if d := pos - s.first; d < s.n {\n\t\treturn uid.UID(s.base + d), nil\n\t}\n\treturn g.takeSlow(context.Background(), s, pos, g.cfg.OnRejectedTake)",
		to:   "if d := pos - s.first; d <= s.n && s.n > 0 {\n\t\treturn uid.UID(s.base + d), nil\n\t}\n\treturn g.takeSlow(context.Background(), s, pos, g.cfg.OnRejectedTake)", tests: "^TestDense$",
	},
	{
		name: "Fill takes positions that are worth nothing", file: "segment/fill.go",
		from: "min(s.n-d, fillChunk)", to: "min(s.n-d+1, fillChunk)", tests: "^TestDense$",
	},
	{
		name: "the last number leaves no room for the next", file: segmentConfigGo,
		from: "case c.Last < c.First || c.Last > most:", to: "case c.Last < c.First:", tests: "^TestRefusals$",
	},
	{
		name: "a row's step may be nothing", file: segmentStoreGo,
		from: "case r.Step < 1 || r.Step > MaxStep:", to: "case false:", tests: "^TestRowCheck$",
	},
	{
		name: "a row's next number may be negative", file: segmentStoreGo,
		from: "case r.Next < 0:", to: "case false:", tests: "^TestRowCheck$",
	},
	{
		name: "a tag may have spaces around it", file: segmentStoreGo,
		from: "if tag[0] == ' ' || tag[len(tag)-1] == ' ' {", to: "if false {", tests: "^TestRegistry$",
	},
	{
		name: "a registry makes generators after Close", file: segmentRegistryGo,
		from: "if r.closed {", to: "if false {", tests: "^TestRegistry$",
	},
	{
		name: "numbers of a forgotten tag are skipped", file: segmentRegistryGo,
		from: "return g.CloseContext(ctx)", to: "_ = g\n\treturn nil", tests: "^TestRegistry$",
	},
	{
		name: "the day is UTC's", file: segmentDailyGo,
		from: "d.now().In(d.zone).Date()", to: "d.now().UTC().Date()", tests: "^TestDailyChanges$",
	},
	{
		name: "a day's generator that another day's call has closed is final", file: segmentDailyGo,
		from: "if errors.Is(err, uid.ErrClosed) {", to: "if false && errors.Is(err, uid.ErrClosed) {", tests: "^TestDailyTurn$",
	},
	{
		name: "what is left of a day is skipped", file: segmentDailyGo,
		from: "if later && !before.IsZero() {", to: "if false {", tests: "^TestDailyClockBack$",
	},
	{
		name: "an order number may name a day that is none", file: segmentDailyGo,
		from: `if _, err := time.Parse("20060102", day); err != nil {`, to: "if false {", tests: "^TestParseNumber$",
	},
}
