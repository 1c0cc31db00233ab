package main

// store are faults of leases in what they make of their store: writes that arrive late or
// twice decided, replies that are lost, clocks that are off, and what a store says of itself.
var store = []mutant{
	{
		name: "a renewal that was lost is forgotten when the next one is made", file: holdGo,
		from: "for i, p := range h.proposed {",
		to:   "for i, p := range h.proposed[max(0, len(h.proposed)-1):] {", tests: "^TestPendingRenewalArrivesLate",
	},
	{
		name: "a renewal that is over stays among those that may happen", file: holdGo,
		from: "h.proposed = h.proposed[i:]",
		to:   "_ = i", tests: "^TestPendingRenewalsAreRivals",
	},
	{
		name: "what is read in the row is reserved", file: holdGo,
		from: "h.proposed = h.proposed[i:]",
		to:   "h.nonce, h.limit, h.proposed = p.Nonce, p.High, h.proposed[i+1:]", tests: "^TestUnacknowledgedRenewalReservesNothing$",
	},
	{
		name: "what is read in the row is noted in the state file as reserved", file: holdGo,
		from: "h.proposed = h.proposed[i:]",
		to:   "h.nonce, h.limit, h.proposed = p.Nonce, p.High, h.proposed[i+1:]", tests: "^TestUnacknowledgedRenewalReservesNothingInTheFile",
	},
	{
		name: "renewals that may happen are remembered without end", file: holdGo,
		from: "if len(before) >= mostProposed {",
		to:   "if false {", tests: "^TestForgottenRenewal|^TestRenewalInTheRow",
	},
	{
		name: "the renewal that is in the row is forgotten", file: holdGo,
		from: "if row.bears(before[0]) {",
		to:   "if false {", tests: "^TestRenewalInTheRow",
	},
	{
		name: "a decision that was made anew leaves its proposal behind", file: renewGo,
		from: "h.proposed = before // what an earlier run proposed was refused",
		to:   "_ = before", tests: "^TestContendedRenewal",
	},
	{
		name: "a renewal that was acknowledged leaves those before in mind", file: renewGo,
		from: "h.nonce, h.limit, h.proposed, h.early = next.Nonce, next.High, nil, early",
		to:   "h.nonce, h.limit, h.early = next.Nonce, next.High, early", tests: "^TestAcknowledgedRenewal",
	},
	{
		name: "the state file has the newest renewal alone", file: offlineGo,
		from: "Proposals: h.proposed,",
		to:   "Proposals: h.proposed[max(0, len(h.proposed)-1):],", tests: "^TestStateFileKeepsPending",
	},
	{
		name: "a start does not know the renewals in its state file", file: offlineGo,
		from: "proposed: r.Proposals,",
		to:   "", tests: "^TestStateFileKeepsPending",
	},
	{
		name: "an acquisition is taken up by its own nonce", file: acquireGo,
		from: "h = &hold{id: d.id, ids: d.ids, nonce: newNonce(),",
		to:   "h = &hold{id: d.id, ids: d.ids, nonce: row.Nonce,", tests: "^TestRetake$",
	},
	{
		name: "the nonces of attempts to take an ID up are forgotten", file: acquireGo,
		from: "d.nonces = append(nonces[:len(nonces):len(nonces)], h.nonce)",
		to:   "_ = nonces", tests: "^TestRetakeIsLostAgain",
	},
	{
		name: "only the newest attempt to take an ID up is known", file: acquireGo,
		from: "d.nonces = append(nonces[:len(nonces):len(nonces)], h.nonce)",
		to:   "d.nonces = append(nonces[:0:0], h.nonce)", tests: "^TestRetakeIsLostAgain",
	},
	{
		name: "an ID is taken up whose ticks are others", file: acquireGo,
		from: " && row.High == d.high",
		to:   "", tests: "^TestRetakeLeaves",
	},
	{
		name: "an ID is taken up whose lease is over", file: acquireGo,
		from: " && now.within(row.Until)",
		to:   "", tests: "^TestRetakeLeaves",
	},
	{
		name: "an ID is taken up by a clock that is off", file: acquireGo,
		from: "if err := l.compare(asked, now, l.cfg.MaxClockOffset); err != nil {\n\t\t\treturn err\n\t\t}\n\t\tif !d.matches",
		to:   "_ = asked\n\t\tif !d.matches", tests: "^TestRetakeComparesClocks",
	},
	{
		name: "an acquisition stays in doubt once another one has succeeded", file: acquireGo,
		from: "l.hold, l.low, l.doubt = h, false, nil",
		to:   "l.hold, l.low = h, false", tests: "^TestDoubtedAcquisition",
	},
	{
		name: "a release keeps what may be leased", file: leaseGo,
		from: "if l.doubt != nil {",
		to:   "if false {", tests: "^TestDoubtsOfARunning",
	},
	{
		name: "what may be leased is kept where there is a state file", file: leaseGo,
		from: "if l.doubt != nil {",
		to:   "if l.doubt != nil && l.cfg.StateFile == \"\" {", tests: "^TestDoubtIsGivenBackOnRelease",
	},
	{
		name: "what may be leased is given back in one attempt", file: leaseGo,
		from: "retry.Do(ctx, min(l.cfg.Timeout, releaseTimeout), l.cfg.Logger, l.giveBack)",
		to:   "func() error { _ = retry.DefaultTimeout; return l.giveBack(ctx) }()", tests: "^TestDoubtIsGivenBackOnRelease",
	},
	{
		name: "what is given back may be another's by now", file: releaseGo,
		from: "if !d.matches(row, now) {",
		to:   "if row == nil {", tests: "^TestGiveBackLeaves",
	},
	{
		name: "what is given back loses its ticks", file: releaseGo,
		from: "row.end(d.base, now)",
		to:   "row.end(-1, now)", tests: "^TestLeaseLostReplyToAcquireIsGivenBack",
	},
	{
		name: "a row that was renewed at the last moment fails the start", file: acquireGo,
		from: `worker.Transient(errors.New("the ID that was free has just been leased again"))`,
		to:   `errors.New("the ID that was free has just been leased again")`, tests: "^TestLeaseRenewedAtTheLastMoment",
	},
	{
		name: "a start does not wait for the end of a short rest", file: acquireGo,
		from: "return worker.Transient(err)",
		to:   "return err", tests: "^TestNamespaceRestIsWaitedFor",
	},
	{
		name: "a start ends the rest of a namespace", file: foundGo,
		from: "settled := ns.Given >= 0 || f.Rest > 0 ||",
		to:   "settled := ns.Given >= 0 ||", tests: "^TestFoundEndsTheRest|^TestFoundSetsIDs",
	},
	{
		name: "the floor of a namespace that does not rest is lowered", file: foundGo,
		from: "f.Rest > 0 || ns.Rest.Before(now.Now)",
		to:   "f.Rest > 0", tests: "^TestFoundKeepsTheFloor",
	},
	{
		name: "a namespace is made for terms of no layout", file: foundGo,
		from: `case t.Layout == "" || t.Unit <= 0`,
		to:   "case t.Unit < 0", tests: "^TestFoundRefuses",
	},
	{
		name: "a namespace rests for a negative time", file: foundGo,
		from: "case f.Rest < 0 || f.Rest > maxDuration:",
		to:   "case f.Rest > maxDuration:", tests: "^TestFoundRefuses",
	},
	{
		name: "a store is looked at in each attempt", file: startGo,
		from: "inspected = true",
		to:   "", tests: "^TestInspect",
	},
	{
		name: "a store that cannot hold the rows is used", file: startGo,
		from: "lossy, err := l.store.Inspect(ctx)\n\tif err != nil {",
		to:   "lossy, err := l.store.Inspect(ctx)\n\tif err != nil && len(lossy) > 0 {", tests: "^TestInspect",
	},
	{
		name: "a clock's error does not put off the end of a rest", file: storeGo,
		from: "t.Add(c.Error).Before(c.Now)",
		to:   "t.Before(c.Now)", tests: "^TestClockErrorOfARest",
	},
	{
		name: "an owner counts on its lease up to the end by its own clock", file: storeGo,
		from: "!t.Before(c.Now.Add(c.Error))",
		to:   "!t.Before(c.Now)", tests: "^TestClockErrorOfALease|^TestClockErrorOfADoubt",
	},
	{
		name: "a lease is shorter by the clocks' error", file: storeGo,
		from: "c.Now.Add(c.Error + d)",
		to:   "c.Now.Add(d)", tests: "^TestClockErrorOfALease",
	},
	{
		name: "what owners reserve by clocks that are ahead is not burnt", file: acquireGo,
		from: "max(l.cfg.MaxClockSkew, 2*now.Error)",
		to:   "l.cfg.MaxClockSkew", tests: "^TestClockErrorIsBurnt",
	},
	{
		name: "what owners use by clocks that are ahead is refused", file: acquireGo,
		from: "l.highest(now.Now.Add(2 * now.Error))",
		to:   "l.highest(now.Now)", tests: "^TestClockErrorOfMaxAhead",
	},
	{
		name: "nobody minds that a clock may be off at the end of a rest", file: foundGo,
		from: "ns.Rest.Add(now.Error)",
		to:   "ns.Rest", tests: "^TestClockErrorOfARest",
	},
	{
		name: "a store's clock may be off by anything", file: acquireGo,
		from: "l.cfg.Now(), now.Error, limit)",
		to:   "l.cfg.Now(), 0, limit)", tests: "^TestClockErrorIsLimited",
	},
}
