package cached_test

import (
	"log/slog"
	"testing"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/conformance"
	"github.com/uidgen/uid/internal/fake"
)

func TestConformance(t *testing.T) {
	conformance.Worker(t, conformance.Subject{
		Name: "cached", GoesOn: true,
		New: func(w uid.Worker, cfg conformance.Config) (conformance.Generator, error) {
			return cached.New(w, cached.Config{
				Layout: cfg.Layout, MaxLead: max(cfg.Lead, 1), After: cfg.After, RandomStart: cfg.RandomStart,
				Expiry: cfg.Expiry, Logger: cfg.Logger, Now: cfg.Now,
			})
		},
		More: func(g conformance.Generator) []func() (uid.UID, error) {
			c := g.(*cached.Generator)
			return []func() (uid.UID, error){c.Lane().GetUID, c.Unordered().GetUID}
		},
	})
	t.Run("Handled", func(t *testing.T) {
		conformance.Handled(t, func(t testing.TB, handler func(uid.Rejection) error, log *slog.Logger) uid.Generator {
			return full(t, fake.NewClock(day), cached.Config{OnRejectedTake: handler, Logger: log})
		})
	})
}
