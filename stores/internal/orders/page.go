package orders

import (
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/debug"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/worker/lease"
)

// OnPage makes a generator on a worker that leases an ID of the namespace, and checks that its page shows the lease,
// though nobody says where the leases are.
func OnPage(t testing.TB, s *stores.Store, w uid.Worker) {
	t.Helper()
	require.NoError(t, lease.Found(t.Context(), Leases(t, s), lease.Founding{}))
	g, err := cached.New(w, cached.Config{})
	require.NoError(t, err)
	defer func() { _ = g.Close() }()
	page, err := debug.New(debug.Config{Generators: []debug.Generator{{Name: "g", Generator: g}}})
	require.NoError(t, err)
	for {
		answer := httptest.NewRecorder()
		page.ServeHTTP(answer, httptest.NewRequest("GET", "/state", nil))
		text := answer.Body.String()
		require.Contains(t, text, `"workers":{"status":"`)
		require.NotContains(t, text, `"down"`)
		if strings.Contains(text, `"up"`) {
			require.Contains(t, text, `"lease":{"namespace":"orders"`)
			return
		}
		runtime.Gosched()
	}
}
