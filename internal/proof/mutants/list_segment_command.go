package main

const (
	drawingGo    = "cmd/uid/drawing.go"
	segmentGo    = "cmd/uid/segment.go"
	segmentLsGo  = "cmd/uid/segment_ls.go"
	segmentSetGo = "cmd/uid/segment_set.go"
	genSegmentGo = "cmd/uid/gen_segment.go"
)

// segmentCommand are faults of the command with numbers of segments.
var segmentCommand = []mutant{
	{
		name: "command: a next number is lowered without a word", file: segmentSetGo,
		from: "if next < least && !c.lower {",
		to:   "if false {", tests: "^TestSegmentSetRefuses$",
	},
	{
		name: "command: a misspelt tag is made", file: segmentSetGo,
		from: "if !c.create {",
		to:   "if false {", tests: "^TestSegmentSetRefuses$",
	},
	{
		name: "command: a row is set that no store takes", file: segmentSetGo,
		from: "if err := row.Check(); err != nil {",
		to:   "if err := row.Check(); false {", tests: "^TestSegmentSetRefuses$",
	},
	{
		name: "command: a description controls the terminal", file: segmentSetGo,
		from: "!utf8.ValidString(c.description) || strings.ContainsFunc(c.description, unicode.IsControl)",
		to:   "!utf8.ValidString(c.description) || strings.ContainsFunc(\"\", unicode.IsControl)", tests: "^TestSegmentSetRefuses$",
	},
	{
		name: "command: nobody is told that numbers come twice", file: segmentSetGo,
		from: "if set.Next < taken {",
		to:   "if false {", tests: "^TestSegmentSetRefuses$",
	},
	{
		name: "command: after a lost reply nobody is told that numbers come twice", file: segmentSetGo,
		from: "taken = max(taken, row.Next, row.Floor)",
		to:   "taken = max(row.Next, row.Floor)", tests: "^TestSegmentSetTriesAgain$",
	},
	{
		name: "command: a description goes away with each change", file: segmentSetGo,
		from: "if c.described {",
		to:   "if true {", tests: "^TestSegmentCommands$",
	},
	{
		name: "command: who only sets a tag creates a store", file: segmentSetGo,
		from: "c.store.existing = !c.create",
		to:   "c.store.existing = false", tests: "^TestSegmentCreatesNothing$",
	},
	{
		name: "command: who only draws numbers creates a store", file: genSegmentGo,
		from: "t.store.existing = !s.create && !s.daily",
		to:   "t.store.existing = false", tests: "^TestSegmentCreatesNothing$",
	},
	{
		name: "command: the days of order numbers are always those of UTC", file: genSegmentGo,
		from: "zone: s.zone.Location",
		to:   "zone: nil", tests: "^TestGenDaily$",
	},
	{
		name: "command: numbers of a segment are shown as UIDs", file: genSegmentGo,
		from: "case g.format != plain:",
		to:   "case false:", tests: "^TestBadInput$",
	},
	{
		name: "command: only the first page of tags is shown", file: segmentGo,
		from: "if len(page) < rowsAtOnce {",
		to:   "if true {", tests: "^TestSegmentLsInPages$",
	},
	{
		name: "command: a tag is looked for to the end of all", file: segmentLsGo,
		from: "case row.Tag > tag:",
		to:   "case false:", tests: "^TestSegmentLsInPages$",
	},
	{
		name: "command: a tag that is not there is no failure", file: segmentLsGo,
		from: "missing = append(missing, err)",
		to:   "", tests: "^TestSegmentGolden$",
	},
	{
		name: "command: a DSN that is no tag is repeated", file: segmentGo,
		from: "if segment.CheckTag(tag) == nil {\n\t\treturn nil\n\t}",
		to:   "if err := segment.CheckTag(tag); err == nil || err != nil {\n\t\treturn err\n\t}", tests: "^TestSecrets$",
	},
	{
		name: "command: a store that loses numbers is used", file: drawingGo,
		from: "if err != nil || len(lossy) == 0 {",
		to:   "if true {", tests: "^TestDrawingRefuses$",
	},
	{
		name: "command: numbers are taken for stock", file: drawingGo,
		from: "if err == nil && took && !f.more(tag) {",
		to:   "if false {", tests: "^TestNoMoreIsTakenThanPrinted$",
	},
	{
		name: "command: a row's step makes it take more", file: drawingGo,
		from: "\t\t\trow.Step = 1\n",
		to:   "", tests: "^TestNoMoreIsTakenThanPrinted$",
	},
	{
		name: "command: a row's step is forgotten", file: drawingGo,
		from: "\t\t\trow.Step = step\n",
		to:   "\t\t\trow.Step = min(step, 1)\n", tests: "^TestNoMoreIsTakenThanPrinted$",
	},
	{
		name: "command: the last take is as large as the others", file: drawingGo,
		from: "step := (d.n-1)/takes + 1",
		to:   "step := d.step", tests: "^TestNoMoreIsTakenThanPrinted$",
	},
	{
		name: "command: takes of all days count as those of one", file: drawingGo,
		from: "\tf.takes[tag]++\n",
		to:   "\tf.takes[\"\"]++\n", tests: "^TestNoMoreIsTakenThanPrinted$",
	},
	{
		name: "command: midnight ends the order numbers", file: drawingGo,
		from: "return f.takes[tag] < f.most",
		to:   "return len(f.takes) == 0", tests: "^TestDailyOverMidnight$",
	},
	{
		name: "command: a failure that passes ends the numbers", file: drawingGo,
		from: "err := d.try(ctx, func(ctx context.Context) (err error) {\n\t\t\tn, err",
		to:   "err := (func(_ context.Context, f func(context.Context) error) error { return f(ctx) })(ctx, func(ctx context.Context) (err error) {\n\t\t\tn, err", tests: "^TestDrawingTriesAgain$",
	},
	{
		name: "command: numbers that were drawn before a failure are not printed", file: drawingGo,
		from: "case n > 0:",
		to:   "case n > 0 && err == nil:", tests: "^TestGenSegment$",
	},
	{
		name: "command: an interruption keeps numbers that nobody has", file: drawingGo,
		from: "if closeErr := numbers.CloseContext(ctx); err == nil {",
		to:   "if closeErr := ctx.Err(); err == nil {", tests: "^TestInterruptedNumbers$",
	},
	{
		name: "command: numbers are given back only as long as nothing interrupts", file: drawingGo,
		from: "context.WithTimeout(context.Background(), time.Duration(d.store.timeout))",
		to:   "context.WithTimeout(ctx, time.Duration(d.store.timeout))", tests: "^TestInterruptedNumbers$",
	},
}
