package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// ids is how many worker IDs there are in a history: few, so that calls meet.
const ids = 3

// A state is a namespace in the model: a token for each of its values, "" for a missing one.
type state struct {
	namespace string
	rows      [ids]string
}

// An access is what a call saw of one value and what it wrote.
type access struct {
	looked     bool
	saw, wrote string
}

// An operation is a call of a store, as its last run of decide saw it.
type operation struct {
	name      string
	namespace access
	row       access
	id        int64 // of the row
	result    result

	client    int
	call, ret int64
}

type result int

const (
	stored  result = iota
	refused        // by decide, so that nothing is stored
	open           // stored or not, now or later
)

// steps returns the states that an operation can lead to. What it saw must be the state, or its
// write would replace something else. An open operation need not have happened, and cannot happen
// once what it would replace was written again.
func (o operation) steps(s state) []state {
	fits := (!o.namespace.looked || o.namespace.saw == s.namespace) && (!o.row.looked || o.row.saw == s.rows[o.id])
	next := s
	if o.result != refused {
		if o.namespace.looked {
			next.namespace = o.namespace.wrote
		}
		if o.row.looked {
			next.rows[o.id] = o.row.wrote
		}
	}
	switch {
	case fits && o.result == open:
		return []state{s, next}
	case fits:
		return []state{next}
	case o.result == open:
		return []state{s}
	}
	return nil
}

func (o operation) String() string {
	var b strings.Builder
	ret := fmt.Sprint(o.ret)
	if o.result == open {
		ret = "any time"
	}
	fmt.Fprintf(&b, "client %d, %d to %s: %s", o.client, o.call, ret, o.name)
	about := func(what string, a access) {
		if !a.looked {
			return
		}
		fmt.Fprintf(&b, ", %s %s", what, brief(a.saw))
		if o.result != refused {
			fmt.Fprintf(&b, " to %s", brief(a.wrote))
		}
	}
	about("namespace", o.namespace)
	about(fmt.Sprintf("row %d", o.id), o.row)
	fmt.Fprintf(&b, ", %s", [...]string{"stored", "refused", "open"}[o.result])
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
		for _, n := range input.(operation).steps(s.(state)) {
			next = append(next, n)
		}
		return next
	},
}).ToModel

// linearizable reports whether a store that makes one call at a time could have the history:
// whether some order of the operations, each at a time within its call, explains it. It is
// undecided when that takes too long.
func linearizable(history []operation, within time.Duration) porcupine.CheckResult {
	ops := make([]porcupine.Operation, 0, len(history))
	for _, o := range history {
		ops = append(ops, porcupine.Operation{ClientId: o.client, Input: o, Call: o.call, Return: o.ret})
	}
	return porcupine.CheckOperationsTimeout(model(), ops, within)
}
