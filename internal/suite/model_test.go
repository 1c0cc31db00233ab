package suite

import (
	"math"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
)

// history lays operations end to end; an open one may take effect at any time after its call.
func history(ops ...Operation) []Operation {
	for i := range ops {
		ops[i].client, ops[i].call, ops[i].ret = i, int64(10*i), int64(10*i+5)
		if ops[i].Result == Open {
			ops[i].ret = math.MaxInt64
		}
	}
	return ops
}

func changed(saw, wrote string, r Result) Operation {
	return Operation{Name: "Change", On: [Values]Access{0: {true, saw, wrote}}, Result: r}
}

func taken(namespace, wroteNamespace, saw, wrote string, r Result) Operation {
	o := changed(saw, wrote, r)
	o.Name, o.On[1] = "Take", Access{true, namespace, wroteNamespace}
	return o
}

func made(saw, wrote string, r Result) Operation {
	return Operation{Name: "Init", On: [Values]Access{1: {true, saw, wrote}}, Result: r}
}

// What the model takes for a history of a store, and what not.
func TestModel(t *testing.T) {
	t.Parallel()
	start := []Operation{made("", "n1", Stored), taken("n1", "n1", "", "r1", Stored)}
	for _, test := range []struct {
		name string
		good bool
		ops  []Operation
	}{
		{"one after another", true, []Operation{changed("r1", "r2", Stored), changed("r2", "r3", Stored), changed("r3", "", Refused)}},
		{"a write that is lost", false, []Operation{changed("r1", "r2", Stored), changed("r1", "r3", Stored)}},
		{"a look at what is old", false, []Operation{changed("r1", "r2", Stored), changed("r1", "", Refused)}},
		{"an open one that was stored", true, []Operation{changed("r1", "r2", Open), changed("r2", "r3", Stored)}},
		{"an open one that was not stored", true, []Operation{changed("r1", "r2", Open), changed("r1", "r3", Stored)}},
		{"an open one that is stored late", true, []Operation{changed("r1", "r2", Open), changed("r1", "", Refused), changed("r2", "", Refused)}},
		{"an open one that is stored and undone", false, []Operation{changed("r1", "r2", Open), changed("r2", "", Refused), changed("r1", "", Refused)}},
		{"an open one that replaces a newer one", false, []Operation{changed("r1", "r2", Open), changed("r1", "r3", Stored), changed("r2", "", Refused)}},
		{"an open Take of which half is stored", false, []Operation{taken("n1", "n2", "r1", "r2", Open), made("n2", "", Refused), changed("r1", "", Refused)}},
		{"a Take by an old namespace", false, []Operation{made("n1", "n2", Stored), taken("n1", "n3", "r1", "r2", Stored)}},
		{"two Takes of one row", false, []Operation{taken("n1", "n1", "r1", "r2", Stored), taken("n1", "n1", "r1", "r3", Stored)}},
		{"a namespace that is made again", false, []Operation{made("", "n2", Stored)}},
		{"what nobody has written", false, []Operation{changed("r9", "", Refused)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := porcupine.Illegal
			if test.good {
				want = porcupine.Ok
			}
			require.Equal(t, want, linearizable(history(append(start[:2:2], test.ops...)...), time.Minute))
		})
	}

	// Those that overlap may have happened in any order.
	ops := history(append(start[:2:2], changed("r2", "r3", Stored), changed("r1", "r2", Stored))...)
	require.Equal(t, porcupine.Illegal, linearizable(ops, time.Minute))
	ops[2].ret = ops[3].ret
	require.Equal(t, porcupine.Ok, linearizable(ops, time.Minute))
}
