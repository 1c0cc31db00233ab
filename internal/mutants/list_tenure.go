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
