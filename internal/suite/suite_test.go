package suite

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/retry"
)

// What a store must not do with a decision, whatever it keeps.
func TestCall(t *testing.T) {
	t.Parallel()
	refused, lost := errors.New("refused"), retry.Transient(errors.New("lost"))
	within := hiding{errors.Join(errors.New("one"), hiding{errors.New("tiger")})}
	agrees, refuses := func() error { return nil }, func() error { return refused }
	for _, test := range []struct {
		name  string
		finds string // nothing, for what is right
		call  func(*Call)
	}{
		{"stored", "", func(k *Call) { k.End(k.Run(agrees)) }},
		{"refused", "", func(k *Call) { k.End(fmt.Errorf("a store: %w", k.Run(refuses))) }},
		{"stored the second time", "", func(k *Call) { _ = k.Run(refuses); k.End(k.Run(agrees)) }},
		{"lost after decide has refused", "", func(k *Call) { _ = k.Run(refuses); k.End(lost) }},
		{"not reached", "", func(k *Call) { k.End(errors.New("no rights")) }},
		{"twice at once", "Do runs decide twice at once",
			func(k *Call) { _ = k.Run(func() error { return k.Run(agrees) }) }},
		{"after it has returned", "Do runs decide after it has returned",
			func(k *Call) { k.End(k.Run(agrees)); _ = k.Run(agrees) }},
		{"returns meanwhile", "Do returns while decide runs",
			func(k *Call) { _ = k.Run(func() error { return k.End(nil) }) }},
		{"decide has not run", "Do returned nil though decide has not run", func(k *Call) { k.End(nil) }},
		{"acknowledged what was refused", "Do returned nil though decide returned: refused",
			func(k *Call) { _ = k.Run(refuses); k.End(nil) }},
		{"another error", "Do returned broken, which neither wraps what decide returned " +
			"nor is marked as one that may pass: refused",
			func(k *Call) { _ = k.Run(refuses); k.End(errors.New("broken")) }},
		{"the secret", "an error of Do holds the secret: by ***", func(k *Call) { k.End(errors.New("by tiger")) }},
		{"the secret within", "an error of Do holds the secret: ***", func(k *Call) { k.End(within) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := NewProbe(t.Context(), Settings{}, "tiger")
			test.call(p.Call("Do", 0))
			if test.finds == "" {
				require.Empty(t, p.Found())
				return
			}
			require.Equal(t, []string{test.finds}, p.Found())
		})
	}
}

// A hiding error does not say what it wraps.
type hiding struct{ err error }

func (hiding) Error() string   { return "something" }
func (h hiding) Unwrap() error { return h.err }

// An op is a call on up to two keys: the rows r and n.
func op(result Result, texts ...string) *Operation {
	o := &Operation{Name: "Change", On: map[string]Access{}, Result: result}
	for i := 0; i < len(texts); i += 3 {
		o.On[texts[i]] = Access{Saw: texts[i+1], Wrote: texts[i+2], Writes: result != Refused}
	}
	return o
}

var judgements = []struct {
	name string
	good bool
	ops  []*Operation
}{
	{"one after another", true,
		[]*Operation{op(Stored, "r", "1", "2"), op(Stored, "r", "2", "3"), op(Refused, "r", "3", "")}},
	{"a write that is lost", false, []*Operation{op(Stored, "r", "1", "2"), op(Stored, "r", "1", "3")}},
	{"a look at what is old", false, []*Operation{op(Stored, "r", "1", "2"), op(Refused, "r", "1", "")}},
	{"an open one that was stored", true, []*Operation{op(Open, "r", "1", "2"), op(Stored, "r", "2", "3")}},
	{"an open one that was not stored", true, []*Operation{op(Open, "r", "1", "2"), op(Stored, "r", "1", "3")}},
	{"an open one that is stored late", true,
		[]*Operation{op(Open, "r", "1", "2"), op(Refused, "r", "1", ""), op(Refused, "r", "2", "")}},
	{"an open one that is stored and undone", false,
		[]*Operation{op(Open, "r", "1", "2"), op(Refused, "r", "2", ""), op(Refused, "r", "1", "")}},
	{"an open one that replaces a newer one", false,
		[]*Operation{op(Open, "r", "1", "2"), op(Stored, "r", "1", "3"), op(Refused, "r", "2", "")}},
	{"an open one of which half is stored", false,
		[]*Operation{op(Open, "r", "1", "2", "n", "1", "2"), op(Refused, "n", "2", ""), op(Refused, "r", "1", "")}},
	{"one about an old value of two", false,
		[]*Operation{op(Stored, "n", "1", "2"), op(Stored, "r", "1", "2", "n", "1", "3")}},
	{"what is made again", false, []*Operation{op(Stored, "n", "", "2")}},
	{"what nobody has written", false, []*Operation{op(Refused, "r", "9", "")}},
}

// What a model and a history take for calls of a store, and what not.
func TestJudges(t *testing.T) {
	t.Parallel()
	for _, test := range judgements {
		t.Run(test.name, func(t *testing.T) {
			p := NewProbe(t.Context(), Settings{}, "")
			p.Model.Set("r", "1")
			p.Model.Set("n", "1")
			r := p.recorder(0)
			want := r.judge(func(r *Recorder) {
				for i, o := range test.ops {
					shown := *o
					shown.client = i
					r.begins(&shown)
					var err error
					if o.Result == Open {
						err = retry.Transient(errors.New("lost"))
					}
					r.ends(&shown, err)
				}
			})
			require.Equal(t, test.good, want == porcupine.Ok, p.Found())
			p = NewProbe(t.Context(), Settings{}, "")
			p.Model.Set("r", "1")
			p.Model.Set("n", "1")
			for _, o := range test.ops {
				for key := range o.On {
					p.Model.sees(o, key)
				}
				p.Model.ends(o, nil)
			}
			require.Equal(t, test.good, len(p.Found()) == 0, p.Found())
		})
	}
	// Those that overlap may have happened in any order.
	late, early := op(Stored, "r", "2", "3"), op(Stored, "r", "1", "2")
	late.call, late.ret, early.client, early.call, early.ret = 1, 2, 1, 3, 4
	init := map[string]string{"r": "1"}
	require.Equal(t, porcupine.Illegal, linearizable(init, []*Operation{late, early}, time.Minute))
	late.ret = 4
	require.Equal(t, porcupine.Ok, linearizable(init, []*Operation{late, early}, time.Minute))
}

// What is written again is another one, even if it is the same; and what was lost is no longer there.
func TestModelOfWhatComesAgain(t *testing.T) {
	t.Parallel()
	for name, since := range map[string]func(*Model){
		"written again": func(m *Model) { m.Set("r", "1") },
		"lost":          func(m *Model) { restore := m.Backup(); m.Set("r", "2"); restore() },
	} {
		t.Run(name, func(t *testing.T) {
			p := NewProbe(t.Context(), Settings{}, "")
			p.Model.Set("r", "1")
			o, late := op(Stored, "r", "1", "3"), op(Open, "r", "1", "4")
			p.Model.sees(late, "r")
			p.Model.ends(late, nil)
			p.Model.sees(o, "r")
			since(p.Model)
			p.Model.sees(op(Refused, "r", "1", ""), "r")
			require.Empty(t, p.Found())
			p.Model.sees(op(Refused, "r", "4", ""), "r")
			require.Len(t, p.Found(), 1)
			p.Model.ends(o, nil)
			require.Len(t, p.Found(), 2)
		})
	}
}
