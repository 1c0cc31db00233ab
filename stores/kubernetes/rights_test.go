package kubernetes

import (
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/kubernetes/internal/fake"
	"github.com/uidgen/uid/worker/lease"
)

// An account that lacks a verb is told which one, by what needs it and by an examination, which writes nothing.
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
		w, err := lease.New(leases, lease.Config{IDs: lease.Range{First: 1, Last: 3}, Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		g, err := cached.New(w, cached.Config{})
		if err == nil {
			require.NoError(t, g.Close())
		}
		return err
	}
	examine := func() []doctor.Finding {
		s.Count()
		found, err := open().Driver().(doctor.Examiner).Examine(t.Context(), doctor.Config{})
		require.NoError(t, err)
		for kind := range s.Count() {
			require.False(t, strings.HasPrefix(kind, "POST 2") || strings.HasPrefix(kind, "PUT 2"), kind)
		}
		return found
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
		found := examine()
		require.Equal(t, doctor.LevelError, found[0].Level)
		require.Equal(t, "may not "+lacks+" leases", found[0].Value)
	}
	s.Allow(secret, "shop", verbs...)
	found := examine()
	require.Equal(t, doctor.LevelOK, found[0].Level)
	require.Equal(t, doctor.LevelNote, found[1].Level)
	s.Break(func(*http.Request) fake.Fault { return fake.Fault{Status: http.StatusServiceUnavailable} })
	_, err := open().Driver().(doctor.Examiner).Examine(t.Context(), doctor.Config{})
	require.ErrorContains(t, err, "503")
}
