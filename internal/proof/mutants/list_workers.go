package main

const (
	disposableGo = "worker/disposable/disposable.go"
	statefileGo  = "worker/statefile/file.go"
	stateGo      = "internal/state/file.go"
)

// workers are faults in what all workers share, the binding, the arithmetic of ticks, the
// state file, and in those of disposable IDs and of state files.
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
		name: "a store's number beyond the layout is taken", file: disposableGo,
		from: "if id <= 0 || id > most {", to: "if false {", tests: "^TestNumbersOutOfRange",
	},
	{
		name: "a state file is left locked by a start that failed", file: statefileGo,
		from: "return errors.Join(err, f.close())\n\t}\n\treturn nil", to: "return err\n\t}\n\treturn nil", tests: "^TestFileBelongs|^TestFileThatCannot",
	},
	{
		name: "a worker of disposable IDs serves two generators", file: disposableGo,
		from: "	err := d.binding.Take(", to: "	_ = d.binding.Unbind()\n	err := d.binding.Take(", tests: "^TestBinding$",
	},
	{
		name: "a worker of a state file serves two generators", file: statefileGo,
		from: "f.binding.Take(t.Revoke, func() error { return f.take(t) }); err != nil {",
		to:   "f.take(t); err != nil {", tests: "^TestFileServesOneGenerator",
	},
	{
		name: "a lease serves two generators", file: leaseGo,
		from: "	if err := l.binding.Bind(", to: "	_ = l.binding.Unbind()\n	if err := l.binding.Bind(", tests: "^TestLeaseInUse$",
	},
	{
		name: "a worker of a fixed ID serves two generators", file: "worker/static.go",
		from: "	err := s.binding.Take(", to: "	_ = s.binding.Unbind()\n	err := s.binding.Take(", tests: "^TestStatic",
	},
	{
		name: "a blank variable is a host or a port", file: "worker/disposable/host.go",
		from: `strings.TrimSpace(v) != ""`, to: `v != ""`, tests: "^TestHost$",
	},
	{
		name: "a state file that another process has locked", file: stateGo,
		from: "if !locked {", to: "if !locked && false {", tests: "^TestFileIsLocked",
	},
	{
		name: "a save over the newest record", file: stateGo,
		from: "f.disk.WriteAt(page, slotOffset(slotIndex(sequence)))",
		to:   "f.disk.WriteAt(page, slotOffset(slotIndex(sequence-1)))", tests: "^TestFileTornSave",
	},
	{
		name: "a damaged state file is started anew", file: stateGo,
		from: "	if f.newest.Sequence == 0 {\n		return fmt.Errorf(\"%w: neither",
		to:   "	if false {\n		return fmt.Errorf(\"%w: neither", tests: "^TestFileDamage|^TestFileThatIsNotOne",
	},
	{
		name: "a new state file's name is not made durable", file: stateGo,
		from: "return f.disk.SyncFolder()", to: "return nil", tests: "^TestFileIsSynced$",
	},
	{
		name: "a save is not made durable", file: stateGo,
		from: "	if err := f.disk.Sync(); err != nil {\n		return unusable(err)\n	}\n", to: "", tests: "^TestFileIsSynced$",
	},
	{
		name: "the ticks of a damaged record come again", file: stateGo,
		from: "f.newest.High = f.newest.Next", to: "_ = f.newest.Next", tests: "^TestFileDamage$",
	},
	{
		name: "a record goes beyond what the one before it has foreseen", file: stateGo,
		from: "foreseen.Next < r.High {", to: "false {", tests: "^TestFileWithAFlippedBit$",
	},
	{
		name: "a record that foresees nothing is used in place of a damaged one", file: stateGo,
		from: "if f.torn && f.newest.Version == 0 {", to: "if false {", tests: "^TestFileOfVersion0$",
	},
	{
		name: "a page of long ago counts as the record before the newest", file: stateGo,
		from: "torn || before != newest.Sequence-1", to: "torn || before > newest.Sequence", tests: "^TestFileWithAnOldPage$",
	},
	{
		name: "a newer version's record is read", file: "internal/state/page.go",
		from: "s.Version > version || ", to: "", tests: "^TestFileOfAnotherVersion$",
	},
	{
		name: "a renewal in time writes a state file twice", file: statefileGo,
		from: "r.Next = f.next(r.High)", to: "r.Next = r.High", tests: "^TestFileSavesOnce$",
	},
	{
		name: "a start is refused because a write was torn", file: statefileGo,
		from: "ticks.Plus(f.reach, f.reach)", to: "f.reach", tests: "^TestFileWithAFlippedBit$",
	},
	{
		name: "a state file that was removed while in use", file: stateGo,
		from: "	if err := f.checkPath(); err != nil {\n		return err\n	}\n	f.newest",
		to:   "	f.newest", tests: "^TestFileIsLost",
	},
	{
		name: "ticks that another process reserved in the file", file: statefileGo,
		from: "		f.base = found.High\n", to: "", tests: "^TestFileGoesOn",
	},
	{
		name: "ticks that were not reserved in the file", file: statefileGo,
		from: "	if err := f.state.Save(r); err != nil {\n		return err\n	}\n	f.record = r",
		to:   "	f.record = r", tests: "^TestFileGoesOn|^TestFileReserves",
	},
	{
		name: "a release that gives back what others reserved", file: statefileGo,
		from: "f.record.High = max(f.base, last)", to: "f.record.High = last", tests: "^TestFileGoesOn|^TestFileNeverRepeats",
	},
	{
		name: "a clock that is far behind the file", file: statefileGo,
		from: "case found.High-f.allowed() > clock && f", to: "case found.High-f.allowed() > clock && false && f", tests: "^TestFileTooFar",
	},
}
