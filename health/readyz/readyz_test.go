package readyz_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/health/readyz"
	"github.com/uidgen/uid/internal/telemetry"
	"github.com/uidgen/uid/worker"
)

// report is the answer as a client reads it.
type report struct {
	Ready      bool
	Generators []health.Health
}

func TestHandler(t *testing.T) {
	orders := cached.MustNew(worker.Static(1, "readyz orders"), cached.Config{})
	events := cached.MustNew(worker.Static(2, "readyz events"), cached.Config{})
	defer func() { require.NoError(t, events.Close()) }()
	all := []health.Reporter{orders, events}
	h, err := readyz.Handler(all...)
	require.NoError(t, err)
	all[1] = orders // the handler has a copy

	ask := func(method string) (int, report) {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, httptest.NewRequest(method, "/readyz", nil))
		var read report
		if method == http.MethodGet {
			require.Equal(t, "application/json", answer.Header().Get("Content-Type"))
			require.Equal(t, "no-store", answer.Header().Get("Cache-Control"))
			require.Equal(t, strconv.Itoa(answer.Body.Len()), answer.Header().Get("Content-Length"))
			require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &read))
		}
		return answer.Code, read
	}
	status, report := ask(http.MethodGet)
	require.Equal(t, http.StatusOK, status)
	require.True(t, report.Ready)
	require.Len(t, report.Generators, 2)
	require.EqualValues(t, 2, report.Generators[1].Reservation.WorkerID)

	require.NoError(t, orders.Close())
	status, report = ask(http.MethodGet)
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.False(t, report.Ready)
	require.Equal(t, telemetry.Closed, report.Generators[0].Reasons[0].Code)
	require.True(t, report.Generators[1].Ready)
	status, _ = ask(http.MethodHead)
	require.Equal(t, http.StatusServiceUnavailable, status)
	status, _ = ask(http.MethodPost)
	require.Equal(t, http.StatusMethodNotAllowed, status)
}

func TestHandlerRefuses(t *testing.T) {
	_, err := readyz.Handler()
	require.ErrorIs(t, err, uid.ErrConfig)
	_, err = readyz.Handler(nil)
	require.ErrorIs(t, err, uid.ErrConfig)
	require.ErrorContains(t, err, "generator 1 of 1 is nil")
}

// A program's own Reporter may hold what JSON cannot.
func TestHandlerOfAnUnwritableReport(t *testing.T) {
	h, err := readyz.Handler(reporter(func() health.Health {
		return health.Health{Ready: true, Time: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}
	}))
	require.NoError(t, err)
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	require.Equal(t, http.StatusInternalServerError, answer.Code)
}

type reporter func() health.Health

func (r reporter) Health() health.Health { return r() }
