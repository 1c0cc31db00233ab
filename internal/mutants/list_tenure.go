package main

const (
	tenureGo         = "internal/tenure/tenure.go"
	uncachedGo       = "default/generator.go"
	uncachedPolicyGo = "default/policy.go"
)

// tenure is the generators' hold on their workers: what workers are told, reservations,
// revocations, and ends.
var tenure = []mutant{
	{
		name: "New undoes a revocation of the first reservation", file: generatorGo,
		from: "	now = g.now()\n	g.mu.Lock()\n	g.refill(now)\n",
		to:   "	was := g.state.reservation\n	now = g.now()\n	g.mu.Lock()\n	g.state.reservation = was\n	g.refill(now)\n", tests: "RevokeDuringNew",
	},
	{
		name: "a revocation before the first reservation is forgotten", file: tenureGo,
		from: "	if t.revoked > 0 {\n		res = Nothing(res)",
		to:   "	if false {\n		res = Nothing(res)", tests: "RevokeDuringAcquire|ConcurrentCalls",
	},
	{
		name: "what an Extend returns is handed over though it was revoked meanwhile", file: tenureGo,
		from: "	if revoked != t.revoked {",
		to:   "	if false {", tests: "RevokeDuringExtend|ConcurrentCalls",
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
}
