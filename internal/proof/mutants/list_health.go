package main

const (
	healthJudgeGo    = "health/judge.go"
	healthDurationGo = "health/duration.go"
	healthReadyzGo   = "health/readyz/readyz.go"
	healthTroubleGo  = "internal/tenure/trouble.go"
	healthTenureGo   = "internal/tenure/health.go"
	healthCachedGo   = "cached/health.go"
	healthUncachedGo = "default/health.go"
	healthSegmentGo  = "segment/health.go"
	healthReserveGo  = "segment/reserve.go"
	healthLeaseGo    = "worker/lease/health.go"
	healthMetricGo   = "metrics/metric.go"
	healthSetGo      = "metrics/set.go"
	healthExpvarsGo  = "metrics/expvars/expvars.go"
	healthPromGo     = "metrics/prometheus/prometheus.go"
	healthOTelGo     = "metrics/otel/otel.go"
)

// healths are faults of what generators say of themselves, of what is logged, and of metrics.
var healths = []mutant{
	{
		name: "health: a renewal that fails is an alarm at once", file: healthJudgeGo,
		from: "case h.Failing != nil && r.Remaining.Duration < Minute:",
		to:   "case h.Failing != nil:", tests: "^TestJudge$",
	},
	{
		name: "health: a minute of numbers is an alarm", file: healthJudgeGo,
		from: "n.Lasts.Duration > 0 && n.Lasts.Duration < Minute",
		to:   "n.Lasts.Duration > 0 && n.Lasts.Duration <= Minute", tests: "^TestJudge$",
	},
	{
		name: "health: what a burst has used up is an outage", file: healthJudgeGo,
		from: "case r.UsedUp && (r.Remaining.Duration <= 0 || h.Failing != nil):",
		to:   "case r.UsedUp:", tests: "^TestJudge$",
	},
	{
		name: "health: a reservation that is over by the clock makes ready UIDs an outage", file: healthJudgeGo,
		from: "case r.UsedUp && (r.Remaining.Duration <= 0 || h.Failing != nil):",
		to:   "case r.UsedUp && h.Failing != nil || r.Remaining.Duration <= 0:", tests: "^TestJudge$",
	},
	{
		name: "health: a wait for the next tick is an outage", file: healthJudgeGo,
		from: "case l.Wait.Duration > l.Tick.Duration:",
		to:   "case l.Wait.Duration > 0:", tests: "^TestJudge$",
	},
	{
		name: "health: warnings make it not ready", file: healthJudgeGo,
		from: "func(r Reason) bool { return r.Level == LevelError })",
		to:   "func(r Reason) bool { return r.Level != \"\" })", tests: "^TestJudge$",
	},
	{
		name: "health: warnings come before errors", file: healthJudgeGo,
		from: "return cmp.Compare(a.Level, b.Level)",
		to:   "return cmp.Compare(b.Level, a.Level)", tests: "^TestJudge$",
	},
	{
		name: "health: a closed generator has other reasons", file: healthJudgeGo,
		from: "	if ended == nil {\n		h.judgeReservation()",
		to:   "	if true {\n		h.judgeReservation()", tests: "^TestJudge$",
	},
	{
		name: "health: a year that JSON cannot hold is kept", file: healthJudgeGo,
		from: "y < 0 || y > 9999",
		to:   "y < 0", tests: "^TestTimesThatJSONCannotHold$",
	},
	{
		name: "health: times keep their zones", file: healthJudgeGo,
		from: "t = t.Round(0).UTC()",
		to:   "t = t.Round(0)", tests: "^TestTimesThatJSONCannotHold$",
	},
	{
		name: "health: nanoseconds lose their zeros", file: healthDurationGo,
		from: "fmt.Sprintf(\"%09d\", part)",
		to:   "fmt.Sprintf(\"%d\", part)", tests: "^TestDuration$",
	},
	{
		name: "health: a number of seconds overflows", file: healthDurationGo,
		from: "if err != nil || n > most {",
		to:   "if err != nil {", tests: "^TestDuration$",
	},
	{
		name: "health: an exponent is read as digits", file: healthDurationGo,
		from: "strings.Trim(whole+part, \"0123456789\") != \"\"",
		to:   "strings.Trim(whole+part, \"0123456789e\") != \"\"", tests: "^TestDuration$",
	},
	{
		name: "readyz: one that is ready hides one that is not", file: healthReadyzGo,
		from: "report.Ready = report.Ready && one.Ready",
		to:   "report.Ready = report.Ready || one.Ready", tests: "^TestHandler$",
	},
	{
		name: "readyz: the status is 200 always", file: healthReadyzGo,
		from: "	if !report.Ready {\n",
		to:   "	if false {\n", tests: "^TestHandler$",
	},
	{
		name: "readyz: the program's map is shared", file: healthReadyzGo,
		from: "return handler(maps.Clone(generators)), nil",
		to:   "maps.Clone(generators)\n	return handler(generators), nil", tests: "^TestHandler$",
	},

	{
		name: "trouble: each attempt that fails is logged", file: healthTroubleGo,
		from: "now == r.told || now != fine && now < r.told",
		to:   "now == fine && r.told == fine", tests: "^TestTrouble",
	},
	{
		name: "trouble: its half is not logged", file: healthTroubleGo,
		from: "	case left <= r.whole/2:\n		return half\n",
		to:   "", tests: "^TestTroubleIsLogged$",
	},
	{
		name: "trouble: a stage is noticed only when an attempt fails", file: healthTroubleGo,
		from: "	next = max(next, minPause)",
		to:   "	next = max(next, 1000*time.Hour)", tests: "^TestTroubleIsLogged$",
	},
	{
		name: "trouble: it is a warning with a minute left", file: healthTroubleGo,
		from: "if now != fine && left < health.Minute {",
		to:   "if now != fine && left < 999*health.Minute {", tests: "^TestTrouble",
	},
	{
		name: "trouble: it is no warning with less than a minute left", file: healthTroubleGo,
		from: "if now != fine && left < health.Minute {",
		to:   "if now != fine && left < 0*health.Minute {", tests: "^TestTroubleWithinTheLastMinute$",
	},
	{
		name: "trouble: a burst that has used up all is not told of", file: healthTroubleGo,
		from: "	r.spent = true\n",
		to:   "", tests: "^TestTroubleOfABurst$",
	},
	{
		name: "trouble: a burst is told of when the next stage comes", file: healthTroubleGo,
		from: "		r.timer.Reset(0)\n",
		to:   "", tests: "^TestTroubleOfABurst$",
	},
	{
		name: "trouble: what was spent before makes the next trouble the end", file: healthTroubleGo,
		from: "t.cfg.Now(), t.left(), false",
		to:   "t.cfg.Now(), t.left(), r.spent || r.total > 0", tests: "^TestTroubleIsLogged$",
	},
	{
		name: "trouble: it is logged with the lock held", file: healthTroubleGo,
		from: "	t.watch(now, left)\n	t.mu.Unlock()\n	if quiet {\n		return\n	}\n",
		to:   "	t.watch(now, left)\n	defer t.mu.Unlock()\n	if quiet {\n		return\n	}\n", tests: "^TestTroubleIsLoggedWithoutLocks$",
	},
	{
		name: "trouble: a tenure that was stopped goes on telling", file: healthTroubleGo,
		from: "quiet := t.stopped || t.grant.Load().Ended != nil || ",
		to:   "quiet := ", tests: "^TestTroubleEndsWithTheTenure$",
	},
	{
		name: "trouble: the last tick is not left", file: healthTroubleGo,
		from: "return ticks.Until(t.cfg.Terms, t.cfg.Now(), until+1)",
		to:   "return ticks.Until(t.cfg.Terms, t.cfg.Now(), until)", tests: "^TestTroubleIsLogged$",
	},
	{
		name: "health: the last reserved tick does not count", file: healthTenureGo,
		from: "ticks.Until(t.cfg.Terms, now, grant.Until+1)",
		to:   "ticks.Until(t.cfg.Terms, now, grant.Until)", in: "cached", tests: "^TestHealth$",
	},
	{
		name: "health: a worker without bounds has one", file: healthTenureGo,
		from: "grant.Until < l.MaxTick()",
		to:   "grant.Until <= l.MaxTick()", in: "cached", tests: "^TestHealthOfTheWorker$",
	},
	{
		name: "health: what is stale counts as ready", file: healthCachedGo,
		from: "h.Buffered > 0 && !g.allStale(now)",
		to:   "h.Buffered > 0", tests: "^TestHealth",
	},
	{
		name: "health: a ring that waits for the clock is ready", file: healthCachedGo,
		from: "		h.Lead.Wait.Duration = g.untilLead(next, now)\n",
		to:   "		g.untilLead(next, now)\n", tests: "^TestHealthSaysWhatCallsFind$",
	},
	{
		name: "health: a time field that a burst has used up is not over", file: healthCachedGo,
		from: "	case next > g.layout.MaxTick():\n",
		to:   "	case false:\n", tests: "^TestHealthSaysWhatCallsFind$",
	},
	{
		name: "health: what is used up is not said", file: healthCachedGo,
		from: "		h.Reservation.UsedUp = true\n",
		to:   "", tests: "^TestHealth",
	},
	{
		name: "health: Logical waits for its clock", file: healthUncachedGo,
		from: "case next > clock && g.cfg.ClockBack.kind != kindLogical:",
		to:   "case next > clock:", tests: "^TestHealthSaysWhatCallsFind$",
	},
	{
		name: "health: a remembered tick is waited for", file: healthUncachedGo,
		from: "if g.marks[clock&g.markMask].Load()>>g.tickShift <= clock {",
		to:   "if false {", tests: "^TestHealthSaysWhatCallsFind$",
	},
	{
		name: "health: a step back that has no bits left is not seen", file: healthUncachedGo,
		from: "return g.used[next/(g.seqMask+1)] + 1",
		to:   "return g.used[next/(g.seqMask+1)] * 0", tests: "^TestHealthSaysWhatCallsFind$",
	},
	{
		name: "health: the worker's first tick is not minded", file: healthUncachedGo,
		from: "next = max(clock, gr.First, g.oldest(clock, newest))",
		to:   "next = max(clock, g.oldest(clock, newest-gr.First))", tests: "^TestHealthSaysWhatCallsFind$",
	},
	{
		name: "health: numbers in hand are exhausted", file: healthSegmentGo,
		from: "st.Buffered == 0 && errors.Is(",
		to:   "errors.Is(", tests: "^TestHealthAtTheEnd$",
	},
	{
		name: "segment: less than a minute of numbers is no warning", file: healthReserveGo,
		from: "if stage != over && known && lasts < health.Minute {",
		to:   "if stage != over && known && lasts < 0 {", tests: "^TestOutageWithinTheLastMinute$",
	},
	{
		name: "segment: an outage with a minute left is a warning", file: healthReserveGo,
		from: "if stage != over && known && lasts < health.Minute {",
		to:   "if stage != over {", tests: "^TestOutage$",
	},
	{
		name: "segment: half of the numbers is not told of", file: healthReserveGo,
		from: "case buffered <= s.whole/2:",
		to:   "case false:", tests: "Outage",
	},
	{
		name: "lease: health tells of an ID that was released", file: "worker/lease/lease.go",
		from: "	defer func() { _ = l.binding.Unbind() }()\n	defer l.tell()\n",
		to:   "	defer func() { _ = l.binding.Unbind() }()\n", tests: "^TestWorkerHealth$",
	},
	{
		name: "lease: its end by the clock is not moved by a renewal", file: "worker/lease/lease.go",
		from: "	defer l.tell()\n	if l.hold != nil && l.binding.Invalid() {\n		l.lost(ctx, errInvalidated)\n	}\n	var err error\n	if l.hold != nil && l.due",
		to:   "	if l.hold != nil && l.binding.Invalid() {\n		l.lost(ctx, errInvalidated)\n	}\n	var err error\n	if l.hold != nil && l.due", tests: "^TestWorkerHealth$",
	},
	{
		name: "lease: IDs below the range count as taken", file: healthLeaseGo,
		from: "Taken: h.id - h.ids.First + 1,",
		to:   "Taken: h.id + 1,", tests: "^TestWorkerHealth$",
	},

	{
		name: "metrics: a renewal that fails is 0 after a step of the clock", file: healthMetricGo,
		from: "max(h.Time.Sub(h.Failing.Since), time.Millisecond)",
		to:   "max(h.Time.Sub(h.Failing.Since), 0*time.Millisecond)", tests: "^TestFailingIsNeverZero$",
	},
	{
		name: "metrics: what has no bound has one", file: healthMetricGo,
		from: "if h.Reservation == nil || !h.Reservation.Bounded {",
		to:   "if h.Reservation == nil {", tests: "^TestSamples$",
	},
	{
		name: "metrics: a metric is renamed, and the dashboard and the rules are not", file: healthMetricGo,
		from: "gauge(\"lead\", Seconds",
		to:   "gauge(\"lead_now\", Seconds", tests: "^TestFilesNameMetricsThatExist$",
	},
	{
		name: "metrics: a metric is renamed, and the golden file is not", file: healthMetricGo,
		from: "gauge(\"lead\", Seconds",
		to:   "gauge(\"lead_now\", Seconds", in: "metrics/prometheus", tests: "^TestExposition$",
	},
	{
		name: "metrics: a count is not shown", file: healthMetricGo,
		from: "	counter(health.ClockBehind, \"{call}\", \"Calls that found the clock behind the newest UID.\"),\n",
		to:   "", tests: "^TestNames$",
	},
	{
		name: "metrics: two generators have one name", file: healthSetGo,
		from: "if s.byName[name] != nil {",
		to:   "if false {", tests: "^TestAddRefuses$",
	},
	{
		name: "expvars: a name that is taken panics", file: healthExpvarsGo,
		from: "if expvar.Get(variable) != nil {",
		to:   "if false {", tests: "^TestPublishRefuses$",
	},
	{
		name: "prometheus: counters are gauges", file: healthPromGo,
		from: "if m.Kind == metrics.Counter {",
		to:   "if false {", tests: "^TestExposition$",
	},
	{
		name: "otel: counters are gauges", file: healthOTelGo,
		from: "if m.Kind == metrics.Counter {",
		to:   "if false {", tests: "^TestRegister$",
	},
	{
		name: "otel: a failure of the meter is not returned", file: healthOTelGo,
		from: "		if err != nil {\n			return nil, fmt.Errorf(\"otel: the instrument",
		to:   "		if err != nil && false {\n			return nil, fmt.Errorf(\"otel: the instrument", tests: "^TestRegisterRefuses$",
	},
}
