package storetest

import (
	"math"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
)

// history lays operations end to end; an open one may take effect at any time after its call.
func history(ops ...operation) []operation {
	for i := range ops {
		ops[i].client, ops[i].call, ops[i].ret = i, int64(10*i), int64(10*i+5)
		if ops[i].result == open {
			ops[i].ret = math.MaxInt64
		}
	}
	return ops
}

func changed(saw, wrote string, r result) operation {
	return operation{name: "Change", row: access{true, saw, wrote}, result: r}
}

func taken(namespace, wroteNamespace, saw, wrote string, r result) operation {
	o := changed(saw, wrote, r)
	o.name, o.namespace = "Take", access{true, namespace, wroteNamespace}
	return o
}

func made(saw, wrote string, r result) operation {
	return operation{name: "Init", namespace: access{true, saw, wrote}, result: r}
}

// What the model takes for a history of a store, and what not.
func TestModel(t *testing.T) {
	t.Parallel()
	start := []operation{made("", "n1", stored), taken("n1", "n1", "", "r1", stored)}
	for _, test := range []struct {
		name string
		good bool
		ops  []operation
	}{
		{"one after another", true, []operation{changed("r1", "r2", stored), changed("r2", "r3", stored), changed("r3", "", refused)}},
		{"a write that is lost", false, []operation{changed("r1", "r2", stored), changed("r1", "r3", stored)}},
		{"a look at what is old", false, []operation{changed("r1", "r2", stored), changed("r1", "", refused)}},
		{"an open one that was stored", true, []operation{changed("r1", "r2", open), changed("r2", "r3", stored)}},
		{"an open one that was not stored", true, []operation{changed("r1", "r2", open), changed("r1", "r3", stored)}},
		{"an open one that is stored late", true, []operation{changed("r1", "r2", open), changed("r1", "", refused), changed("r2", "", refused)}},
		{"an open one that is stored and undone", false, []operation{changed("r1", "r2", open), changed("r2", "", refused), changed("r1", "", refused)}},
		{"an open one that replaces a newer one", false, []operation{changed("r1", "r2", open), changed("r1", "r3", stored), changed("r2", "", refused)}},
		{"an open Take of which half is stored", false, []operation{taken("n1", "n2", "r1", "r2", open), made("n2", "", refused), changed("r1", "", refused)}},
		{"a Take by an old namespace", false, []operation{made("n1", "n2", stored), taken("n1", "n3", "r1", "r2", stored)}},
		{"two Takes of one row", false, []operation{taken("n1", "n1", "r1", "r2", stored), taken("n1", "n1", "r1", "r3", stored)}},
		{"a namespace that is made again", false, []operation{made("", "n2", stored)}},
		{"what nobody has written", false, []operation{changed("r9", "", refused)}},
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
	ops := history(append(start[:2:2], changed("r2", "r3", stored), changed("r1", "r2", stored))...)
	require.Equal(t, porcupine.Illegal, linearizable(ops, time.Minute))
	ops[2].ret = ops[3].ret
	require.Equal(t, porcupine.Ok, linearizable(ops, time.Minute))
}
