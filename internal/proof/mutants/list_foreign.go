package main

const (
	overlapGo      = "bits/overlap.go"
	sonyflakeGo    = "foreign/sonyflake.go"
	uidGeneratorGo = "foreign/uidgenerator.go"
	uidColumnGo    = "foreign/uidgenerator_uid.go"
	formatGo       = "foreign/format.go"
	guessGo        = "foreign/guess.go"
	moveGo         = "plan/move.go"
	formGo         = "cmd/uid/form.go"
	planFromGo     = "cmd/uid/plan_from.go"
)

// foreignForms are faults in what is said of other layouts and other generators' numbers.
var foreignForms = []mutant{
	{
		name: "overlap: worker IDs are bounded by the ticks'", file: overlapGo,
		from: "if i+1 == n.shift {",
		to:   "if false {", tests: "^TestFindOverlap$",
	},
	{
		name: "overlap: no field has a lower bound", file: overlapGo,
		from: "if at&atLo != 0 && bit < lo || ",
		to:   "if ", tests: "^TestFindOverlap$",
	},
	{
		name: "overlap: no field has an upper bound", file: overlapGo,
		from: " || at&atHi != 0 && bit > hi {",
		to:   " {", tests: "^TestFindOverlap$",
	},
	{
		name: "overlap: lower bits are not looked at", file: overlapGo,
		from: "return nextA, nextB, okA && okB && c.can[i][nextA][nextB]",
		to:   "return nextA, nextB, okA && okB", tests: "^TestFindOverlap$",
	},
	{
		name: "overlap: a worker ID is below 0", file: overlapGo,
		from: "if i.FirstWorker < 0 || ",
		to:   "if ", tests: "^TestFindOverlapRefuses$",
	},
	{
		name: "overlap: a range of workers ends before it begins", file: overlapGo,
		from: "i.FirstWorker > i.LastWorker || ",
		to:   "", tests: "^TestFindOverlapRefuses$",
	},
	{
		name: "overlap: a worker ID does not fit", file: overlapGo,
		from: " || i.LastWorker > l.MaxWorkerID() {",
		to:   " {", tests: "^TestFindOverlapRefuses$",
	},
	{
		name: "overlap: a span ends before it begins", file: overlapGo,
		from: "if !i.From.IsZero() && !i.To.IsZero() && !i.From.Before(i.To) {",
		to:   "if false {", tests: "^TestFindOverlapRefuses$",
	},
	{
		name: "overlap: the zero layout has numbers", file: overlapGo,
		from: "	if l.IsZero() {\n",
		to:   "	if false {\n", tests: "^TestFindOverlapRefuses$",
	},
	{
		name: "overlap: a span after the time field has numbers", file: overlapGo,
		from: "if !i.From.Before(l.end()) {",
		to:   "if false {", tests: "^TestNoOverlapAfterTheEnd$",
	},
	{
		name: "overlap: a span before the epoch has numbers", file: overlapGo,
		from: "if !i.To.After(l.epoch) {",
		to:   "if false {", tests: "^TestFindOverlap$",
	},
	{
		name: "overlap: the end of a span is in it", file: overlapGo,
		from: "last = l.TickAt(i.To.Add(-1))",
		to:   "last = l.TickAt(i.To)", tests: "^TestOverlapOfMoves$",
	},
	{
		name: "layouts of today need a clock that is right", file: "bits/layout.go",
		from: "if l.epoch.After(now) && l.epoch.After(defaultEpoch) {",
		to:   "if l.epoch.After(now) {", tests: "^TestNewLayoutWithoutAClock$",
	},
	{
		name: "plan: who says nothing has one worker", file: "plan/plan.go",
		from: "cmp.Or(n.Workers, usualWorkers)",
		to:   "max(n.Workers, 1)", tests: "^TestLayoutsForUnknownWorkers$",
	},
	{
		name: "plan: no worker can be replaced while the others work", file: "plan/plan.go",
		from: "if 1<<least[1] < 2*n.Workers &&",
		to:   "if 1<<least[1] < n.Workers &&", tests: "^TestLayoutsHold$|^TestLayoutsForUnknownWorkers$",
	},
	{
		name: "command: plan is for one worker", file: "cmd/uid/plan.go",
		from: "workers: 8,",
		to:   "workers: 1,", tests: "^TestGolden$",
	},
	{
		name: "plan: others' layouts are offered for new UIDs", file: "plan/plan.go",
		from: "if !p.Foreign {",
		to:   "if true {", tests: "^TestLayoutsOffersNoForeignPreset$",
	},

	{
		name: "sonyflake: machine ID and sequence change places", file: sonyflakeGo,
		from: "Machine: p.Sequence, Sequence: p.WorkerID}",
		to:   "Machine: p.WorkerID, Sequence: p.Sequence}", tests: "^TestSonyflake",
	},
	{
		name: "sonyflake: the fields may have any widths", file: sonyflakeGo,
		from: "if s < 1 || s > sonyflakeMostOther || m < 1 || m > sonyflakeMostOther || t < sonyflakeLeastTime || t+s+m != sonyflakeBits {",
		to:   "if false {", tests: "^TestParseFormatRefuses$",
	},
	{
		name: "sonyflake: ticks are as short as one likes", file: sonyflakeGo,
		from: "if l.Unit() < time.Millisecond {",
		to:   "if false {", tests: "^TestSonyflakeRefuses$",
	},
	{
		name: "sonyflake: fields have names", file: sonyflakeGo,
		from: "if len(l.Fields()) > 0 {",
		to:   "if false {", tests: "^TestParseFormatRefuses$",
	},
	{
		name: "sonyflake: the start is not rounded", file: sonyflakeGo,
		from: "; start != l.Epoch() {",
		to:   "; start.IsZero() {", tests: "^TestSonyflakeAsSonyReadsIt$",
	},
	{
		name: "uidgenerator: a negative UID is from before the epoch", file: uidGeneratorGo,
		from: "int64(uint64(id) >> (l.WorkerBits() + l.SequenceBits()))",
		to:   "id >> (l.WorkerBits() + l.SequenceBits())", tests: "^TestUidGenerator",
	},
	{
		name: "uidgenerator: the sign is among the lower fields", file: uidGeneratorGo,
		from: "l.Parse(uid.UID(id & math.MaxInt64))",
		to:   "l.Parse(uid.UID(id &^ (math.MaxInt64 & 0)))", tests: "^TestUidGenerator",
	},
	{
		name: "uidgenerator: any number of bits runs over", file: uidGeneratorGo,
		from: "sum != 63 || l.Unit() != time.Second {",
		to:   "l.Unit() != time.Second {", tests: "^TestUidGeneratorRefuses$",
	},
	{
		name: "uidgenerator: any unit will do", file: uidGeneratorGo,
		from: "sum != 63 || l.Unit() != time.Second {",
		to:   "sum != 63 || time.Second != time.Second {", tests: "^TestUidGeneratorRefuses$",
	},
	{
		name: "uidgenerator: a number has several texts", file: uidColumnGo,
		from: "if err == nil && strconv.FormatInt(n, 10) == s {",
		to:   "if err == nil {", tests: "^TestScan$",
	},
	{
		name: "uidgenerator: too large a number is no number", file: uidColumnGo,
		from: "errors.Is(err, uid.ErrRange) {",
		to:   "errors.Is(err, uid.ErrClosed) {", tests: "^TestScan$",
	},
	{
		name: "uidgenerator: NULL is an empty text", file: uidColumnGo,
		from: "		if v != nil {\n",
		to:   "		if true {\n", tests: "^TestScan$",
	},
	{
		name: "uidgenerator: the youngest UIDs sort first", file: uidColumnGo,
		from: "return cmp.Compare(uint64(u), uint64(v))",
		to:   "return cmp.Compare(u, v)", tests: "^TestUidGeneratorUIDComesBack$",
	},
	{
		name: "formats: a bad one is a format", file: formatGo,
		from: "	if err != nil {\n		return nil, err\n	}\n	return made, nil",
		to:   "	return made, err", tests: "^TestParseFormatRefuses$",
	},
	{
		name: "formats: JSON fails for far years", file: formatGo,
		from: "p.ID, p.Time.Format(time.RFC3339Nano), p.Machine",
		to:   "p.ID, p.Time.Format(time.DateOnly), p.Machine", tests: "^TestPartsJSON$",
	},
	{
		name: "guess: negative UIDs may be of any time", file: guessGo,
		from: "case p.Time.Sub(now) > 24*time.Hour:",
		to:   "case false:", tests: "^TestDoubt$",
	},
	{
		name: "guess: formats are offered in spite of a doubt", file: guessGo,
		from: `if err != nil || Doubt(f, id, now) != "" {`,
		to:   "if err != nil {", tests: "^TestGuesses",
	},
	{
		name: "guess: presets are offered in spite of a doubt", file: guessGo,
		from: `err == nil && l.Doubt(p.UID, now) == "" {`,
		to:   "err == nil {", tests: "^TestGuesses",
	},
	{
		name: "guess: a form is offered twice", file: guessGo,
		from: "if id >= 0 && preset == nil {",
		to:   "if id >= 0 && preset == nil && false {", tests: "^TestGuessesFindTheForm$",
	},
	{
		name: "guess: a sign takes one bit less", file: guessGo,
		from: "return bits >= signBits && v>>(bits-signBits) == 0",
		to:   "return bits >= signBits && v>>(bits-signBits+1) == 0", tests: "^TestSigns$",
	},
	{
		name: "guess: narrow fields make signs", file: guessGo,
		from: "return bits >= signBits && v>>(bits-signBits) == 0",
		to:   "return v>>max(0, bits-signBits) == 0", tests: "^TestSigns$",
	},
	{
		name: "guess: any time is recent", file: guessGo,
		from: "if now.Sub(p.Time) <= lately {",
		to:   "if true {", tests: "^TestSigns$",
	},
	{
		name: "guess: what speaks most comes somewhere", file: guessGo,
		from: "if d := len(b.Signs) - len(a.Signs); d != 0 {",
		to:   "if d := 0; d != 0 {", tests: "^TestGuesses",
	},

	{
		name: "move: old generators may be behind themselves", file: moveGo,
		from: "case m.Lead < 0:",
		to:   "case false:", tests: "^TestCostRefuses$",
	},
	{
		name: "move: the new layout has yet to begin", file: moveGo,
		from: "case m.At.Before(to.Epoch()):",
		to:   "case false:", tests: "^TestCostRefuses$",
	},
	{
		name: "move: the new layout is full", file: moveGo,
		from: "case !m.At.Before(endOf(to)):",
		to:   "case false:", tests: "^TestCostRefuses$",
	},
	{
		name: "move: the tick of the switch is the new one's alone", file: moveGo,
		from: "m.At.Add(m.Lead).Add(1)",
		to:   "m.At.Add(m.Lead)", tests: "^TestCostOfMoves$",
	},
	{
		name: "move: the old layout ends when it ends", file: moveGo,
		from: "before.To.IsZero() || before.To.After(until)",
		to:   "before.To.IsZero()", tests: "^TestCost",
	},
	{
		name: "move: what the new layout made before counts", file: moveGo,
		from: "if after.From.Before(m.At) {",
		to:   "if false {", tests: "^TestCost",
	},
	{
		name: "move: an old layout that begins later is an error", file: moveGo,
		from: "if !before.From.Before(before.To) {",
		to:   "if false {", tests: "^TestCostOfMoves$",
	},
	{
		name: "move: the floor itself is above the floor", file: moveGo,
		from: "tickShift(m.To.Layout) + 1",
		to:   "tickShift(m.To.Layout)", tests: "^TestCost",
	},
	{
		name: "move: a floor is passed after the last tick", file: moveGo,
		from: "tick <= to.MaxTick() && to.TimeOf(tick).Before(end)",
		to:   "true", tests: "^TestCost",
	},
	{
		name: "move: a floor was passed before the switch", file: moveGo,
		from: "if c.Passes.Before(m.At) {",
		to:   "if false {", tests: "^TestCost",
	},
	{
		name: "move: new UIDs are counted from the tick's end", file: moveGo,
		from: "first := plus(nanosecond(to.Epoch()), uTo)",
		to:   "first := nanosecond(to.Epoch())", tests: "^TestCostIsExact$",
	},
	{
		name: "move: the workers make no difference", file: moveGo,
		from: "times(minus(h, w), times(uTo, uFrom))",
		to:   "times(minus(h, h), w)", tests: "^TestWorkersCloseTheWindow$",
	},
	{
		name: "move: equal paces are always safe", file: moveGo,
		from: "if c.Sign() > 0 {",
		to:   "if false {", tests: "^TestCost",
	},
	{
		name: "move: a slower layout stays above", file: moveGo,
		from: "; most.Cmp(upper) < 0 {",
		to:   "; false {", tests: "^TestCost",
	},
	{
		name: "move: a window is between two that are safe", file: moveGo,
		from: "case upper.Cmp(beyond) < 0:\n		add(lower, upper)",
		to:   "case false:\n		add(lower, upper)", tests: "^TestCostOfMoves$",
	},

	{
		name: "command: a minus is not explained", file: "cmd/uid/parse.go",
		from: "cmp.Or(minusError(err), flagError(cmd, err))",
		to:   "cmp.Or(flagError(cmd, err))", tests: "^TestParseExplainsTheMinus$",
	},
	{
		name: "command: negative UIDs are read by the layout", file: formGo,
		from: "(id < 0 || f.IsZero())",
		to:   "f.IsZero()", tests: "^TestGolden$|^TestPartsTellTheNumber$",
	},
	{
		name: "command: a number that nothing fits is a success", file: "cmd/uid/guess.go",
		from: "	return errAnswered",
		to:   "	return nil", tests: "^TestGolden$",
	},
	{
		name: "command: Sonyflake's machines are a range of workers", file: planFromGo,
		from: "if m.fromWorkers.set {",
		to:   "if false {", tests: "^TestPlanFromRefuses$",
	},
	{
		name: "command: a range of workers is upside down", file: planFromGo,
		from: "case a > b:",
		to:   "case false:", tests: "^TestPlanFromRefuses$",
	},
	{
		name: "command: plan finds a layout and leaves one", file: "cmd/uid/plan.go",
		from: "needFlags...); err != nil {",
		to:   "needFlags...); false {", tests: "^TestPlanFromRefuses$",
	},
	{
		name: "command: plan leaves no layout for one", file: "cmd/uid/plan.go",
		from: "moveFlags...); err != nil {",
		to:   "moveFlags...); false {", tests: "^TestPlanFromRefuses$",
	},
}
