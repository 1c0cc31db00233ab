package main

const (
	tenureGo         = "internal/tenure/tenure.go"
	stopGo           = "internal/tenure/stop.go"
	containGo        = "internal/tenure/contain.go"
	uncachedGo       = "default/generator.go"
	uncachedPolicyGo = "default/policy.go"
)

// tenure is the generators' hold on their workers: what workers are told, reservations,
// revocations, and ends.
var tenure = []mutant{
	{
		name: "a refill goes by the first reservation though it was revoked", file: refillGo,
		from: "	rejected = g.publish(now, grant)\n",
		to:   "	first := *grant\n	first.Last, first.Until = 1<<62, 1<<62\n	rejected = g.publish(now, &first)\n", tests: "RevokeDuringNew",
	},
	{
		name: "a discard comes before the reservation is taken away", file: tenureGo,
		from: "	if was := t.grant.Load(); was.Ended == nil {\n		t.grant.Store(withoutTicks(was.WorkerID))\n	}\n	t.mu.Unlock()\n	if t.cfg.Discard != nil {\n		t.cfg.Discard()\n	}\n	t.mu.Lock()\n",
		to:   "	t.mu.Unlock()\n	if t.cfg.Discard != nil {\n		t.cfg.Discard()\n	}\n	t.mu.Lock()\n	if was := t.grant.Load(); was.Ended == nil {\n		t.grant.Store(withoutTicks(was.WorkerID))\n	}\n", tests: "NoGrantWhile",
	},
	{
		name: "a grant is put in force after the end", file: tenureGo,
		from: "	if before.Ended != nil {\n		return\n	}\n",
		to:   "", tests: "EndIsForGood",
	},
	{
		name: "a revocation outlives the end", file: tenureGo,
		from: "	if was := t.grant.Load(); was.Ended == nil {",
		to:   "	if was := t.grant.Load(); was.Ended == nil || true {", tests: "EndIsForGood",
	},
	{
		name: "another worker ID comes into force unannounced", file: tenureGo,
		from: "	if before.WorkerID != res.WorkerID && t.cfg.Switch != nil {",
		to:   "	if false {", tests: "NoGrantWhile|WorkerID",
	},
	{
		name: "UIDs under a smaller worker ID go on in the same tick", file: uncachedGo,
		from: "		Switch: g.useUp,\n",
		to:   "", tests: "WorkerIDChanges",
	},
	{
		name: "a call waits though another grant is in force", file: tenureGo,
		from: "	if t.grant.Load() != was {",
		to:   "	if false {", tests: "Await|ReservationThatIsGone",
	},
	{
		name: "a failure to extend ends no wait", file: tenureGo,
		from: "		t.failed(err)\n		t.tell()\n",
		to:   "		t.failed(err)\n", tests: "Await",
	},
	{
		name: "a revocation before the first reservation is forgotten", file: tenureGo,
		from: "	if t.revoked > 0 {\n		res = nothing(",
		to:   "	if false {\n		res = nothing(", tests: "RevokeDuringAcquire|ConcurrentCalls",
	},
	{
		name: "what an Extend returns is handed over though it was revoked meanwhile", file: tenureGo,
		from: "	if revoked != t.revoked {",
		to:   "	if revoked != t.revoked && false {", tests: "RevokeDuringExtend|ConcurrentCalls",
	},
	{
		name: "the worker is not told how far ahead it may be asked", file: generatorGo,
		from: "	terms.MaxLead = cfg.MaxLead\n",
		to:   "", tests: "MaxLeadIsTold",
	},
	{
		name: "the worker is not told how far ahead it may be asked, without a ring", file: uncachedGo,
		from: "	terms.MaxLead = cfg.ClockBack.lead(layout.Unit())\n",
		to:   "", tests: "MaxLeadIsTold",
	},
	{
		name: "Logical's own tick is no lead", file: uncachedPolicyGo,
		from: "if p.kind == kindLogical {\n		lead",
		to:   "if false {\n		lead", tests: "MaxLeadIsTold",
	},
	{
		name: "a panic in a worker's Extend ends the program", file: tenureGo,
		from: "	err = t.contain(\"Extend\", func() (err error) {\n		res, err = t.worker.Extend(ctx, through)\n		return err\n	})\n",
		to:   "	res, err = t.worker.Extend(ctx, through)\n", tests: "ExtendPanics",
	},
	{
		name: "a panic in a worker's Release ends the program", file: stopGo,
		from: "return t.contain(\"Release\", func() error { return t.worker.Release(ctx, last) })",
		to:   "return t.worker.Release(ctx, last)", tests: "ReleasePanics",
	},
	{
		name: "each of many panics is logged", file: containGo,
		from: "if t.panicked != name {",
		to:   "if true {", tests: "ExtendPanics",
	},
	{
		name: "a worker's panics are logged once and never again", file: containGo,
		from: "t.panicked = \"\"",
		to:   "_ = t.panicked", tests: "ExtendPanics",
	},
	{
		name: "Close waits for a deaf worker, whatever its context", file: stopGo,
		from: "	case <-ctx.Done():\n	}\n	grace",
		to:   "	}\n	grace", tests: "StopGivesUp", hangs: true,
	},
	{
		name: "a worker that minds its context is not heard", file: stopGo,
		from: "	select {\n	case err := <-released:\n		return err\n	case <-grace.C:\n	}\n",
		to:   "	<-grace.C\n", tests: "StopReturnsTheWorkersError",
	},
	{
		name: "the worker is released while an Extend is under way", file: stopGo,
		from: "		if t.done != nil {\n			<-t.done\n		}\n",
		to:   "", tests: "StopGivesUp|StopDuringExtend",
	},
	{
		name: "a Release that comes late has no time left", file: stopGo,
		from: "	if ctx.Err() != nil {\n		var cancel",
		to:   "	if false {\n		var cancel", tests: "StopGivesUp",
	},
	{
		name: "a Release that fails late is not logged", file: stopGo,
		from: "		if err := <-released; err != nil {",
		to:   "		if err := <-released; false && err != nil {", tests: "StopGivesUp",
	},
	{
		name: "the call that is waited for is named wrongly", file: stopGo,
		from: "	t.releasing.Store(true)\n",
		to:   "", tests: "StopGivesUpOnRelease",
	},
	{
		name: "a second Close waits for the first, whatever its context", file: stopGo,
		from: "	case <-ctx.Done():\n		return fmt.Errorf(\"another",
		to:   "	case <-context.Background().Done():\n		return fmt.Errorf(\"another", tests: "StopTwiceAtOnce", hangs: true,
	},
	{
		name: "a second Close does not wait for the first", file: stopGo,
		from: "		return t.awaitStop(ctx)",
		to:   "		return nil", tests: "StopTwiceAtOnce",
	},
	{
		name: "Close without a context waits for ever", file: generatorGo,
		from: "context.WithTimeout(context.Background(), tenure.StopTimeout)",
		to:   "context.WithCancel(context.Background())", tests: "CloseDoesNotWaitForEver", hangs: true,
	},
	{
		name: "Close without a context waits for ever, without a ring", file: uncachedGo,
		from: "context.WithTimeout(context.Background(), tenure.StopTimeout)",
		to:   "context.WithCancel(context.Background())", tests: "CloseDoesNotWaitForEver", hangs: true,
	},
	{
		name: "uncached takes a layout of RollbackBits under any policy", file: uncachedPolicyGo,
		from: "		if err := tenure.RefuseRollback(l.Fields()); err != nil {",
		to:   "		if err := tenure.RefuseRollback(nil); err != nil {", tests: "SameTextSameBits|ShareNoStateFile",
	},
	{
		name: "cached takes a layout of RollbackBits", file: "cached/config.go",
		from: "tenure.RefuseRollback(c.Layout.Fields())",
		to:   "tenure.RefuseRollback(nil)", tests: "ConfigIsChecked",
	},
	{
		name: "RollbackBits takes a part of another width", file: uncachedPolicyGo,
		from: "fields[0] != want {",
		to:   "fields[0].Name != want.Name {", tests: "SameTextSameBits|PolicyRefuses",
	},
}
