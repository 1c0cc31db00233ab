package main

// leaseFiles are faults in what a state file does for a start, on stores that can lose writes too.
var leaseFiles = []mutant{
	{
		name: "a new owner with a state file does not wait for its first tick", file: startGo,
		from: "waits := l.hold.unreserved() &&", to: "waits := l.file == nil && l.hold.unreserved() &&", tests: "^TestLeaseFileStartsAtOnce$",
	},
	{
		name: "what was waited for does not come into the state file", file: startGo,
		from: "if err := l.awaitTicks(ctx); err != nil || l.file == nil {\n\t\treturn err\n\t}\n\treturn l.note(l.hold.base + 1)",
		to:   "return l.awaitTicks(ctx)", tests: "^TestLeaseFileStartsAtOnce$",
	},
	{
		name: "a lease is not in the state file while its start waits", file: startGo,
		from: "if err := l.note(l.hold.base + 1); err != nil || !waits {", to: "if !waits {\n\t\t\terr := l.note(l.hold.base + 1)", tests: "^TestLeaseFileIsNotReleased$",
	},
	{
		name: "a failed start releases a lease that its state file has, where writes can be lost", file: startGo,
		from: "&& (l.file == nil || l.cfg.DurableStore)", to: "", tests: "^TestLeaseFileIsNotReleased$",
	},
	{
		name: "a start with a floor beyond its state file's reservation does not wait", file: holdGo,
		from: "return h.limit <= h.base", to: "return h.limit == h.base", tests: "^TestLeaseFileFloor$",
	},
	{
		name: "a start does not look at what its state file had when it was closed", file: offlineGo,
		from: "base: max(r.High, l.terms.MinTick-1), limit: r.Limit", to: "base: max(r.Limit, l.terms.MinTick-1), limit: r.Limit", tests: "^TestLeaseFileStartsAtOnce$",
	},
	{
		name: "a state file that was closed in good order says what was reserved, not what was issued", file: statefileGo,
		from: "f.record.High = max(f.base, last)", to: "f.record.High = max(f.record.High, last)", tests: "^TestFileGoesOnAboveWhatWasReserved$",
	},
	{
		name: "a lease with a longer reach than its namespace knows goes on from its state file", file: renewGo,
		from: "!l.cfg.DurableStore && h.reach < reach", to: "h.reach < 0 && reach > 0", tests: "^TestLeaseFileOfAShorterReach",
	},
	{
		name: "a reach that the state file has counts as the one that is wanted", file: offlineGo,
		from: "reach: r.Reach,", to: "reach: max(r.Reach, l.cfg.reach()+l.cfg.MaxClockSkew),", tests: "^TestLeaseFileOfAShorterReach$",
	},
	{
		name: "a longer MaxClockSkew goes on from the state file", file: renewGo,
		from: "reach := l.reach(now)", to: "reach := l.cfg.reach()", tests: "^TestLeaseFileOfAShorterReach$",
	},
	{
		name: "a durable store's reach is taken for one that the namespace knows", file: acquireGo,
		from: "if l.cfg.DurableStore {\n\t\th.limit = max(", to: "if h.reach = l.reach(now); l.cfg.DurableStore {\n\t\th.limit = max(", tests: "^TestLeaseFileOfAShorterReach$",
	},
	{
		name: "an acquisition that is taken up forgets its reach", file: acquireGo,
		from: "granted: d.granted, reach: d.reach}", to: "granted: d.granted}", tests: "^TestLeaseRetake|^TestRetake|^TestDoubt|^TestReply",
	},
	{
		name: "a start lowers what its damaged state file may have granted", file: offlineGo,
		from: "max(before, min(h.limit, max(l.fileReach(), l.withSlack(through))))", to: "min(h.limit, max(before, l.fileReach(), l.withSlack(through)))",
		tests: "^TestLeaseFileWithAFlippedBitOfALostWrite$",
	},
	{
		name: "a state file foresees ticks that no renewal has reserved", file: offlineGo,
		from: "min(most, next))", to: "next)", tests: "^TestLeaseFileWithAFlippedBit$",
	},
	{
		name: "a state file foresees all that the store has reserved", file: offlineGo,
		from: "min(most, next))", to: "max(min(most, next), most))", tests: "^TestLeaseFileWithAFlippedBitOffline$",
	},
	{
		name: "a state file does not foresee what a renewal will grant", file: offlineGo,
		from: "most = max(most, p.High)", to: "_ = p", tests: "^TestLeaseFileSavesTwice$",
	},
	{
		name: "a damaged record brings a lost lease back", file: lostGo,
		from: "cmp.Or(l.forget(), l.forget())", to: "cmp.Or(l.forget())", tests: "^TestLeaseFileWithAFlippedBitAfterALoss$",
	},
	{
		name: "the state file forgets the reach", file: offlineGo,
		from: "Proposals: h.proposed, Reach: h.reach,", to: "Proposals: h.proposed,", tests: "^TestLeaseFileStartsAtOnce$",
	},
}
