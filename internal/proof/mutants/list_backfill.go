package main

const (
	backfillGeneratorGo = "backfill/generator.go"
	backfillLevelsGo    = "backfill/levels.go"
	backfillOrderGo     = "backfill/order.go"
	backfillConfigGo    = "backfill/config.go"
	backfillLeasesGo    = "backfill/leases.go"
	backfillNumbersGo   = "backfill/numbers.go"
	backfillApartGo     = "backfill/apart.go"
	backfillSpreadGo    = "backfill/spread.go"
	backfillCommandGo   = "cmd/uid/backfill.go"
)

// backfills are faults in UIDs for the past: in what a run reserves, and in what it issues.
var backfills = []mutant{
	{
		name: "a run reserves nothing", file: backfillLeasesGo,
		from: "row.Nonce, row.High, row.Until, row.Layout, row.Holder = rand.Text(), t.last, now.Now,",
		to:   "row.Nonce, row.High, row.Until, row.Layout, row.Holder = rand.Text(), row.High, now.Now,", tests: "^TestWhatARunWrites$",
	},
	{
		name: "a row that was used after the run begins is taken", file: backfillLeasesGo,
		from: "if row.High >= t.first {", to: "if row.High > t.first {", tests: "^TestRefusedRows$",
	},
	{
		name: "the rows that a run asks for were used in its first tick", file: backfillLeasesGo,
		from: "{ return t.first - 1 }", to: "{ return t.first }", tests: "^TestRefusedRows$",
	},
	{
		name: "the floor is not minded", file: backfillLeasesGo,
		from: "if ns.Floor >= t.first {", to: "if false {", tests: "^TestRefusedRows$",
	},
	{
		name: "the run begins at the floor", file: backfillLeasesGo,
		from: "if ns.Floor >= t.first {", to: "if ns.Floor > t.first {", tests: "^TestRefusedRows$",
	},
	{
		name: "a namespace of another layout serves a run", file: backfillLeasesGo,
		from: "if ns.Layout != t.terms.Layout {", to: "if false {", tests: "^TestRefusedRows$",
	},
	{
		name: "a run ends in the store's future", file: backfillLeasesGo,
		from: "t.last > present {", to: "t.last > present+1000 {", tests: "^TestRefusedRows$",
	},
	{
		name: "a store that can lose writes serves a run", file: backfillLeasesGo,
		from: "if !s.cfg.DurableStore && !s.store.Durable() {", to: "if false {", tests: "^TestRefusedRows$",
	},
	{
		name: "a store that is seen to lose writes serves a run", file: backfillLeasesGo,
		from: "if len(lossy) > 0 && !t.cfg.DurableStoreUnverified {", to: "if false && len(lossy) > 0 {", tests: "^TestRefusedRows$",
	},
	{
		name: "Close lowers a row that is another's", file: backfillLeasesGo,
		from: "if row == nil || row.Nonce != t.row.Nonce || row.High != t.row.High {", to: "if row == nil {", tests: "^TestKilledRun$",
	},
	{
		name: "Close gives back what was issued", file: backfillLeasesGo,
		from: "max(t.base, last), now.Now", to: "max(t.base, last-1), now.Now", tests: "^TestWhatARunWrites$",
	},
	{
		name: "Close gives back what others have used", file: backfillLeasesGo,
		from: "max(t.base, last), now.Now", to: "last, now.Now", tests: "^TestRefusedRows$",
	},
	{
		name: "the ID of a row keeps being leased", file: backfillLeasesGo,
		from: "rand.Text(), t.last, now.Now, t.terms.Layout", to: "rand.Text(), t.last, now.Now.Add(time.Hour), t.terms.Layout", tests: "^TestKilledRun$",
	},
	{
		name: "an ID that the namespace does not have is taken", file: backfillLeasesGo,
		from: "if id := row.WorkerID; id < ids.First || id > ids.Last {", to: "if id := row.WorkerID; id < 0 {", tests: "^TestAnIDOutsideOfTheNamespace$",
	},
	{
		name: "a number with fewer ticks than the run's is taken", file: backfillNumbersGo,
		from: "if r.First > w.first || r.Last < w.last {", to: "if r.Last < w.last {", tests: "^TestNumbersReserveAll$",
	},
	{
		name: "a number whose ticks end before the run is taken", file: backfillNumbersGo,
		from: "if r.First > w.first || r.Last < w.last {", to: "if r.First > w.first {", tests: "^TestNumbersReserveAll$",
	},
	{
		name: "an ID that came twice is used twice", file: backfillGeneratorGo,
		from: "if slices.Contains(ids, h.id) {", to: "if slices.Contains(ids, -1) {", tests: "^TestNumbersFail$",
	},
	{
		name: "IDs of a run that is not made are kept", file: backfillGeneratorGo,
		from: "_ = g.release(context.WithoutCancel(ctx))", to: "_ = g", tests: "^(TestRunOfTwoIDs|TestApart)$",
	},
	{
		name: "all IDs go back to the first one's last tick", file: backfillGeneratorGo,
		from: "h.release(ctx, g.reached[i])", to: "h.release(ctx, g.reached[i*0])", tests: "^TestRunOfTwoIDs$",
	},
	{
		name: "the last tick issued is the newest call's", file: backfillGeneratorGo,
		from: "g.reached[i] = max(g.reached[i], tick)", to: "g.reached[i] = tick", tests: "^TestWhatARunWrites$",
	},
	{
		name: "a closed run issues", file: backfillGeneratorGo,
		from: "if g.closed {", to: "if false {", tests: "^TestTimesOfTheRun$",
	},
	{
		name: "times before the run have UIDs", file: backfillGeneratorGo,
		from: "if t.Before(g.begin) || !t.Before(g.end) {", to: "if !t.Before(g.end) {", tests: "^TestTimesOfTheRun$",
	},
	{
		name: "times after the run have UIDs", file: backfillGeneratorGo,
		from: "if t.Before(g.begin) || !t.Before(g.end) {", to: "if t.Before(g.begin) {", tests: "^TestTimesOfTheRun$",
	},
	{
		name: "AtOrAfter goes beyond the end of the run", file: backfillGeneratorGo,
		from: "if found > through {", to: "if found > through && found <= g.last {", tests: "^TestNothingAfterTheEnd$",
	},
	{
		name: "AtOrAfter goes further than it may", file: backfillGeneratorGo,
		from: "through = g.layout.TickAt(until)", to: "through = g.layout.TickAt(until) + 1", tests: "^TestATick$",
	},
	{
		name: "Fill goes on when the tick is full", file: backfillGeneratorGo,
		from: "if g.levels.room(tick) == 0 {", to: "if g.levels.room(tick) < 0 {", tests: "^TestFill$",
	},
	{
		name: "the order of times is not minded", file: backfillGeneratorGo,
		from: "if g.newest-tick > g.window {", to: "if false {", tests: "^TestMemory$",
	},
	{
		name: "a tick is forgotten before its time is late", file: backfillGeneratorGo,
		from: "g.levels.forget(tick - g.window)", to: "g.levels.forget(tick - g.window + 1)", tests: "^TestMemory$",
	},
	{
		name: "ticks that nobody can ask for are remembered", file: backfillLevelsGo,
		from: "if tick < oldest {", to: "if tick < 0 {", tests: "^TestMemory$",
	},
	{
		name: "a tick holds one UID too many", file: backfillLevelsGo,
		from: "if n+1 == l.capacity {", to: "if n == l.capacity {", tests: "^TestATick$",
	},
	{
		name: "all UIDs of a tick are the first", file: backfillLevelsGo,
		from: "l.used[tick] = n + 1", to: "l.used[tick] = n | 1", tests: "^TestATick$",
	},
	{
		name: "each call walks all full ticks", file: backfillLevelsGo,
		from: "l.next[tick] = found", to: "l.next[tick] = after", tests: "^TestWayIsShortened$",
	},
	{
		name: "times may go back by less than a tick too few", file: backfillOrderGo,
		from: "return ticks.Count(o.back, unit)", to: "return max(ticks.Count(o.back, unit)-1, 0)", tests: "^TestMemory$",
	},
	{
		name: "a run goes into the future", file: backfillConfigGo,
		from: "case c.To.After(now):", to: "case c.To.After(end):", tests: "^TestConfigRefuses$",
	},
	{
		name: "a run begins before the layout", file: backfillConfigGo,
		from: "case c.From.Before(first) || !c.To.Before(end):", to: "case !c.To.Before(end):", tests: "^TestConfigRefuses$",
	},
	{
		name: "a run ends after the layout", file: backfillConfigGo,
		from: "case c.From.Before(first) || !c.To.Before(end):", to: "case c.From.Before(first):", tests: "^TestConfigRefuses$",
	},
	{
		name: "more worker IDs than the layout has", file: backfillConfigGo,
		from: "int64(c.Workers)-1 > c.Layout.MaxWorkerID() {", to: "int64(c.Workers)-2 > c.Layout.MaxWorkerID() {", tests: "^TestConfigRefuses$",
	},
	{
		name: "generators that count steps back share IDs with runs", file: backfillConfigGo,
		from: "if err := tenure.RefuseRollback(c.Layout.Fields()); err != nil {", to: "if err := tenure.RefuseRollback(nil); err != nil {", tests: "^TestConfigRefuses$",
	},
	{
		name: "a live namespace of all IDs is no neighbour", file: backfillApartGo,
		from: "has == (lease.Range{}) || has.First <= id && id <= has.Last {", to: "has == (lease.Range{First: -1}) || has.First <= id && id <= has.Last {", tests: "^TestApart$",
	},
	{
		name: "the last ID of a live namespace is free", file: backfillApartGo,
		from: "has.First <= id && id <= has.Last {", to: "has.First <= id && id < has.Last {", tests: "^TestApart$",
	},
	{
		name: "a live namespace of another layout is no neighbour", file: backfillApartGo,
		from: "case page.Namespace.Layout != layout:", to: "case page.Namespace.Layout == \"\":", tests: "^TestApart$",
	},
	{
		name: "a live namespace that is not there is no neighbour", file: backfillApartGo,
		from: "case page.Namespace.Fresh:", to: "case page.Namespace.Fresh:\n\t\treturn nil\n\tcase false:", tests: "^TestApart$",
	},
	{
		name: "UIDs are not spread evenly", file: backfillSpreadGo,
		from: "step, _ := bits.Div64(hi, lo, uint64(n))", to: "step, _ := bits.Div64(hi, lo, uint64(n))\n\t\t\tstep = step / 2 * 2", tests: "^TestSpreadOverEachTick$",
	},
	{
		name: "more UIDs are spread than the ticks hold", file: backfillSpreadGo,
		from: "hi == 0 && lo < uint64(n) {", to: "hi == 0 && lo < uint64(n) && n < 0 {", tests: "^TestSpreadRefuses$",
	},
	{
		name: "milliseconds are taken for seconds", file: backfillCommandGo,
		from: "return time.UnixMilli(ms).UTC(), nil", to: "return time.Unix(ms, 0).UTC(), nil", tests: "^TestBackfillTimes$",
	},
	{
		name: "the command does not ask who vouches for the store", file: backfillCommandGo,
		from: "durable := b.durable || s.place.file != \"\" || leases.Durable()", to: "durable := b.durable || s.place.file != \"\" || leases != nil", tests: "^TestBackfillLossyStore$",
	},
	{
		name: "the command minds no order", file: backfillCommandGo,
		from: "cfg.Order = backfill.Sorted(0)", to: "cfg.Order = backfill.AnyOrder()", tests: "^TestBackfillRefuses$",
	},
}
