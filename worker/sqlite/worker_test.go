package sqlite_test

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/debug"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlite"
	"github.com/uidgen/uid/worker/sqlstore"
)

// drawn returns the worker ID under which a generator on w draws.
func drawn(t *testing.T, w uid.Worker) int64 {
	g, err := cached.New(w, cached.Config{})
	require.NoError(t, err)
	u, err := g.GetUID()
	require.NoError(t, err)
	parts, err := g.ParseUID(u)
	require.NoError(t, err)
	require.NoError(t, g.Close())
	return parts.WorkerID
}

func TestWorkers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "workers.db")
	require.EqualValues(t, 1, drawn(t, sqlite.Disposable(path)))
	require.EqualValues(t, 3, drawn(t, sqlite.Disposable(path)), "2 is a mark")

	found(t, path)
	orders := sqlite.Lease(path, "orders")
	first := drawn(t, orders)
	require.NotEqual(t, first, drawn(t, orders), "the ID rests")

	_, err := cached.New(sqlite.Lease(path, "örders"), cached.Config{})
	require.ErrorIs(t, err, uid.ErrConfig)
	one := lease.Config{MustExist: true}
	_, err = cached.New(sqlite.Lease(path, "parcels", one), cached.Config{})
	require.ErrorIs(t, err, worker.ErrNoNamespace)
	_, err = cached.New(sqlite.Lease(path, "orders", one, one), cached.Config{})
	require.ErrorIs(t, err, uid.ErrConfig)
	_, err = cached.New(sqlite.Disposable(path, disposable.Config{Timeout: -1}), cached.Config{})
	require.ErrorIs(t, err, uid.ErrConfig)
	_, err = cached.New(sqlite.Disposable(":memory:"), cached.Config{})
	require.ErrorIs(t, err, os.ErrInvalid)
}

// The page of a generator shows the workers of its store, though nobody says where they are.
func TestPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "workers.db")
	found(t, path)
	db, err := sqlite.Open(t.Context(), path)
	require.NoError(t, err)
	defer db.Close()
	for _, w := range []uid.Worker{sqlite.Lease(path, "orders"), sqlstore.Lease(db, "orders")} {
		g, err := cached.New(w, cached.Config{})
		require.NoError(t, err)
		page, err := debug.New(debug.Config{Generators: []debug.Generator{{Name: "g", Generator: g}}})
		require.NoError(t, err)
		for text := ""; !strings.Contains(text, `"up"`); {
			answer := httptest.NewRecorder()
			page.ServeHTTP(answer, httptest.NewRequest("GET", "/state", nil))
			text = answer.Body.String()
			require.Contains(t, text, `"workers":{"status":"`)
			require.NotContains(t, text, `"down"`)
			if strings.Contains(text, `"up"`) {
				require.Contains(t, text, `"lease":{"namespace":"orders"`)
			}
			runtime.Gosched()
		}
		require.NoError(t, g.Close())
	}
}

// found makes the namespace orders, whose UIDs then begin at once.
func found(t *testing.T, path string) {
	db, err := sqlite.Open(t.Context(), path)
	require.NoError(t, err)
	defer db.Close()
	tables, err := sqlstore.New(db, sqlstore.Config{})
	require.NoError(t, err)
	r, err := registry.New(tables.Registry(), registry.Config{})
	require.NoError(t, err)
	require.NoError(t, r.Init(context.Background(), "orders", lease.Founding{}))
}
