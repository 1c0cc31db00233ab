package uncached

import (
	"testing"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/conformance"
)

func TestConformance(t *testing.T) {
	require.Panics(t, func() { MustNew(nil, Config{}) })
	for _, policy := range []Policy{Logical(), Fail(), Wait(DefaultWait), Remember(1024)} {
		t.Run(policy.String(), func(t *testing.T) {
			conformance.Worker(t, conformance.Subject{
				Name: "uncached", GoesOn: policy == Logical(),
				New: func(w uid.Worker, cfg conformance.Config) (conformance.Generator, error) {
					return New(w, Config{
						Layout: cfg.Layout, ClockBack: policy, After: cfg.After, RandomStart: cfg.RandomStart,
						Expiry: cfg.Expiry, Logger: cfg.Logger, Now: cfg.Now,
					})
				},
			})
		})
	}
}
