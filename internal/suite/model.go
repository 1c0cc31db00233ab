package suite

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// Values is how many values of a store a history is about, at most: few, so that calls meet.
const Values = 4

// A state is what a store in the model holds: a token for each value, "" for a missing one.
type state [Values]string

// An Access is what a call saw of one value and what it wrote.
type Access struct {
	Looked     bool
	Saw, Wrote string
}

// An Operation is a call of a store, as its last run of decide saw it.
type Operation struct {
	Name   string
	On     [Values]Access
	Result Result

	client    int
	call, ret int64
}

// A Result is what became of an operation.
type Result int

const (
	// Stored is the result of a call that returned nil.
	Stored Result = iota
	// Refused is that of a call that decide refused, so that nothing is stored.
	Refused
	// Open is that of any other: stored or not, now or later.
	Open
)

// steps returns the states that an operation can lead to. What it saw must be the state, or its
// write would replace something else. An open operation need not have happened, and cannot happen
// once what it would replace was written again.
func (o Operation) steps(s state) []state {
	fits, next := true, s
	for i, a := range o.On {
		if a.Looked {
			fits = fits && a.Saw == s[i]
			if o.Result != Refused {
				next[i] = a.Wrote
			}
		}
	}
	switch {
	case fits && o.Result == Open:
		return []state{s, next}
	case fits:
		return []state{next}
	case o.Result == Open:
		return []state{s}
	}
	return nil
}

func (o Operation) String() string {
	var b strings.Builder
	ret := fmt.Sprint(o.ret)
	if o.ret == math.MaxInt64 {
		ret = "any time"
	}
	fmt.Fprintf(&b, "client %d, %d to %s: %s", o.client, o.call, ret, o.Name)
	for i, a := range o.On {
		if !a.Looked {
			continue
		}
		fmt.Fprintf(&b, ", value %d %s", i, brief(a.Saw))
		if o.Result != Refused {
			fmt.Fprintf(&b, " to %s", brief(a.Wrote))
		}
	}
	fmt.Fprintf(&b, ", %s", [...]string{"stored", "refused", "open"}[o.Result])
	return b.String()
}

// brief is a token without its zeros.
func brief(token string) string {
	if token == "" {
		return "none"
	}
	return "v" + strings.TrimLeft(token, "0")
}

// model is a store that makes one call at a time.
var model = (&porcupine.NondeterministicModel{
	Init: func() []any { return []any{state{}} },
	Step: func(s, input, _ any) (next []any) {
		for _, n := range input.(Operation).steps(s.(state)) {
			next = append(next, n)
		}
		return next
	},
}).ToModel

// linearizable reports whether a store that makes one call at a time could have the history:
// whether some order of the operations, each at a time within its call, explains it. It is
// undecided when that takes too long.
func linearizable(history []Operation, within time.Duration) porcupine.CheckResult {
	ops := make([]porcupine.Operation, 0, len(history))
	for _, o := range history {
		ops = append(ops, porcupine.Operation{ClientId: o.client, Input: o, Call: o.call, Return: o.ret})
	}
	return porcupine.CheckOperationsTimeout(model(), ops, within)
}
