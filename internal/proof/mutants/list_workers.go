package main

// workers are faults in what all workers share: the binding, the arithmetic of ticks, the
// state file.
var workers = []mutant{
	{
		name: "a worker serves two generators", file: "internal/binding/binding.go",
		from: "if b.bound {", to: "if false {", tests: "^TestOneGenerator|^TestOnlyOne",
	},
	{
		name: "a worker that panicked stays bound", file: "internal/binding/binding.go",
		from: "if !taken {", to: "if !taken && false {", tests: "^TestTake",
	},
	{
		name: "an invalidation is forgotten", file: "internal/binding/binding.go",
		from: "b.invalid = b.bound", to: "", tests: "^TestInvalidate",
	},
	{
		name: "a new generator inherits an invalidation", file: "internal/binding/binding.go",
		from: "b.bound, b.revoke, b.invalid = false, nil, false", to: "b.bound, b.revoke = false, nil", tests: "^TestInvalidate",
	},
	{
		name: "the longest duration overflows when it is counted", file: "internal/ticks/ticks.go",
		from: "return int64((d-1)/unit) + 1", to: "return int64((d + unit - 1) / unit)", tests: "^TestCount",
	},
	{
		name: "a span of ticks overflows", file: "internal/ticks/ticks.go",
		from: "case n > most:", to: "case false:", tests: "^TestSpan",
	},
	{
		name: "a sum of ticks overflows", file: "internal/ticks/ticks.go",
		from: "if tick > math.MaxInt64-n {", to: "if false {", tests: "^TestPlus",
	},
	{
		name: "the way to a tick overflows before the epoch", file: "internal/ticks/ticks.go",
		from: "if clock < 0 && tick > math.MaxInt64+clock {", to: "if false {", tests: "^TestUntil",
	},
	{
		name: "what has passed of the clock's tick counts as to come", file: "internal/ticks/ticks.go",
		from: "return span - into(t, now)", to: "return span", tests: "^TestUntil",
	},
	{
		name: "80 % of a large layout overflow", file: "internal/supply/supply.go",
		from: "most/5*4+most%5*4/5", to: "most*4/5", tests: "^TestLow",
	},
	{
		name: "a record's one proposal is lost", file: "internal/state/record.go",
		from: `if s.ProposedNonce != "" {`, to: "if false {", tests: "^TestFileOfOneProposal",
	},
	{
		name: "a record's proposals are shared with the caller", file: "internal/state/record.go",
		from: "slices.Clone(r.Proposals)", to: "slices.Clip(r.Proposals)", tests: "^TestFileSharesNothing",
	},
	{
		name: "a store's number beyond the layout is taken", file: "worker/disposable/disposable.go",
		from: "if id <= 0 || id > most {", to: "if false {", tests: "^TestNumbersOutOfRange",
	},
	{
		name: "a state file is left locked by a start that failed", file: "worker/statefile/file.go",
		from: "return errors.Join(err, f.close())\n\t}\n\treturn nil", to: "return err\n\t}\n\treturn nil", tests: "^TestFileBelongs|^TestFileThatCannot",
	},
}
