package suite

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/retry"
)

// What a store must not do with a decision, whatever it keeps.
func TestCall(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	agrees, refuses := func() error { return nil }, func() error { return refused }
	for _, test := range []struct {
		name  string
		finds string // nothing, for what is right
		call  func(*Call)
	}{
		{"stored", "", func(k *Call) { k.End(k.Run(agrees)) }},
		{"refused", "", func(k *Call) { k.End(fmt.Errorf("a store: %w", k.Run(refuses))) }},
		{"stored the second time", "", func(k *Call) { _ = k.Run(refuses); k.End(k.Run(agrees)) }},
		{"lost after decide has refused", "", func(k *Call) { _ = k.Run(refuses); k.End(retry.Transient(errors.New("lost"))) }},
		{"not reached", "", func(k *Call) { k.End(errors.New("no rights")) }},
		{"twice at once", "Do runs decide twice at once", func(k *Call) { _ = k.Run(func() error { return k.Run(agrees) }) }},
		{"after it has returned", "Do runs decide after it has returned", func(k *Call) { k.End(k.Run(agrees)); _ = k.Run(agrees) }},
		{"returns meanwhile", "Do returns while decide runs", func(k *Call) { _ = k.Run(func() error { return k.End(nil) }) }},
		{"decide has not run", "Do returned nil though decide has not run", func(k *Call) { k.End(nil) }},
		{"acknowledged what was refused", "Do returned nil though decide returned: refused", func(k *Call) { _ = k.Run(refuses); k.End(nil) }},
		{"another error", "Do returned broken, which neither wraps what decide returned nor is marked as one that may pass: refused",
			func(k *Call) { _ = k.Run(refuses); k.End(errors.New("broken")) }},
		{"the secret", "an error of Do holds the secret: by ***", func(k *Call) { k.End(errors.New("by tiger")) }},
		{"the secret within", "an error of Do holds the secret: ***", func(k *Call) { k.End(hiding{errors.Join(errors.New("one"), hiding{errors.New("tiger")})}) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := NewProbe(t.Context(), Settings{}, "tiger")
			test.call(p.Call("Do"))
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
