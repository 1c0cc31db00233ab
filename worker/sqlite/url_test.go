package sqlite_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/connect"
	"github.com/uidgen/uid/segment"
)

// What a URL names is opened, with the namespace that it names, and closed with the generator.
func TestConnect(t *testing.T) {
	path := filepath.Join(t.TempDir(), "workers.db")
	for _, want := range []int64{1, 3} { // 2 is a mark
		g, err := connect.Cached(t.Context(), "sqlite:"+path+"?ids=disposable", cached.Config{})
		require.NoError(t, err)
		require.Equal(t, want, g.Health().Reservation.WorkerID)
		requireOpen(t, path, true)
		require.NoError(t, g.Close())
		requireOpen(t, path, false)
	}
	found(t, path)
	w, err := connect.Worker(path)
	require.NoError(t, err)
	g, err := connect.Cached(t.Context(), "sqlite:"+path+"?namespace=orders", cached.Config{})
	require.NoError(t, err)
	require.NotNil(t, w)
	require.NoError(t, g.Close())

	s, err := connect.Open(t.Context(), path)
	require.NoError(t, err)
	names, _, err := s.Registry.Namespaces(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"orders"}, names)
	numbers, err := segment.New(s.Segments, "invoice", segment.Config{Create: true})
	require.NoError(t, err)
	n, err := numbers.GetUID()
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	require.NoError(t, numbers.Close())
	require.NoError(t, s.Close())
	requireOpen(t, path, false)

	for _, url := range []string{"", "sqlite://x.db", "hunter2", "redis://h"} {
		_, err := connect.Cached(t.Context(), url, cached.Config{})
		require.ErrorIs(t, err, uid.ErrConfig)
		require.NotContains(t, err.Error(), "hunter2")
		_, err = connect.Open(t.Context(), url)
		require.ErrorIs(t, err, uid.ErrConfig)
	}
}

// requireOpen looks whether this process has the file open, where the system tells.
func requireOpen(t *testing.T, path string, want bool) {
	if runtime.GOOS != "linux" {
		return
	}
	files, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	is := false
	for _, f := range files {
		to, err := os.Readlink("/proc/self/fd/" + f.Name())
		is = is || err == nil && strings.HasSuffix(to, path)
	}
	require.Equal(t, want, is)
}
