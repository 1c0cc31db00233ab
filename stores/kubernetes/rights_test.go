package kubernetes

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/kubernetes/internal/fake"
	"github.com/uidgen/uid/worker/lease"
)

// An account that lacks a verb is told which one, by what needs it.
func TestRights(t *testing.T) {
	t.Parallel()
	s := fake.New(time.Now)
	store := subject(t, s, time.Now)
	open := func() *stores.Store {
		d, err := store.Open()
		require.NoError(t, err)
		return stores.New(d)
	}
	start := func(namespace string) error {
		leases, err := open().Leases(namespace)
		require.NoError(t, err)
		cfg := lease.Config{IDs: lease.Range{First: 1, Last: 3}, Logger: slog.New(slog.DiscardHandler)}
		w, err := lease.New(leases, cfg)
		require.NoError(t, err)
		g, err := cached.New(w, cached.Config{})
		if err == nil {
			require.NoError(t, g.Close())
		}
		return err
	}
	require.NoError(t, start("there"))
	verbs := []string{"get", "list", "create", "update"}
	for _, lacks := range verbs {
		s.Allow(secret, "shop", slices.DeleteFunc(slices.Clone(verbs), func(v string) bool { return v == lacks })...)
		namespace := "there"
		if lacks == "create" {
			namespace = "new"
		}
		err := start(namespace)
		logtest.Error(t, err, uid.ErrConfig, "may not "+lacks+" leases.coordination.k8s.io")
		require.NotContains(t, err.Error(), secret)
	}
}
