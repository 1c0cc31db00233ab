package worker_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/worker"
)

// canary is a password that turns up wherever one may stand by mistake.
const canary = "hunter2"

func TestEnvID(t *testing.T) {
	const name = "UID_TEST_WORKER_ID"
	for text, want := range map[string]int64{"0": 0, "7": 7, "1023": 1023, "007": 7} {
		t.Setenv(name, text)
		id, err := worker.EnvID(name)(1023)
		require.NoError(t, err)
		require.Equal(t, want, id)
	}
	for text, want := range map[string]error{
		"1024": uid.ErrRange, "9223372036854775808": uid.ErrRange, "99999999999999999999999": uid.ErrRange,
		"": uid.ErrConfig, "-1": uid.ErrConfig, "+1": uid.ErrConfig, " 1": uid.ErrConfig, "1\n": uid.ErrConfig,
		"0x10": uid.ErrConfig, "1e3": uid.ErrConfig, "1_0": uid.ErrConfig, "٣": uid.ErrConfig,
		"user:" + canary + "@tcp(db)/x": uid.ErrConfig, // a variable of another name
	} {
		t.Setenv(name, text)
		_, err := worker.EnvID(name)(1023)
		require.ErrorIs(t, err, want, text)
		require.ErrorContains(t, err, name)
		if text != "" {
			require.ErrorContains(t, err, "1023")
		}
		require.NotContains(t, fmt.Sprintf("%v %#v %#v", err, err, errors.Unwrap(err)), canary)
	}
	t.Setenv(name, "")
	_, err := worker.EnvID(name)(1023)
	require.ErrorContains(t, err, "is empty")
	require.NoError(t, os.Unsetenv(name))
	_, err = worker.EnvID(name)(1023)
	logtest.Error(t, err, uid.ErrConfig, "is not set")
}

func TestOrdinalID(t *testing.T) {
	for name, want := range map[string]int64{
		"name-12": 12, "web-0": 0, "a-b-c-3": 3, "-5": 5, "db-01": 1, "web-1023": 1023,
		"web-12.web.shop.svc.cluster.local": 12, "web-3.zone-7.example": 3,
	} {
		id, err := worker.OrdinalID(name)(1023)
		require.NoError(t, err)
		require.Equal(t, want, id, name)
	}
	for _, name := range []string{"", "web", "12", "web12", "web-", "web-x", "web-1a", "web--", "web.shop-3",
		".web-3", "web-+3", "web-3 ", "web-٣"} {
		_, err := worker.OrdinalID(name)(1023)
		logtest.Error(t, err, uid.ErrConfig, "no ordinal")
	}
	for _, name := range []string{"web-1024", "web-99999999999999999999"} {
		_, err := worker.OrdinalID(name)(1023)
		logtest.Error(t, err, uid.ErrRange, name, "1023")
	}
}

func TestHostOrdinalID(t *testing.T) {
	name, err := os.Hostname()
	require.NoError(t, err)
	want, wantErr := worker.OrdinalID(name)(math.MaxInt64)
	id, err := worker.HostOrdinalID()(math.MaxInt64)
	require.Equal(t, wantErr == nil, err == nil)
	require.Equal(t, want, id)
}

func TestFixedID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id, most := rapid.Int64().Draw(t, "id"), rapid.Int64Min(0).Draw(t, "most")
		got, err := worker.FixedID(id)(most)
		if id >= 0 && id <= most {
			require.NoError(t, err)
			require.Equal(t, id, got)
		} else {
			require.ErrorIs(t, err, uid.ErrRange)
			require.ErrorContains(t, err, fmt.Sprint("0..", most))
		}
	})
}

// A worker believes no source that tells an ID beyond the layout, and passes on why
// there is none.
func TestSourceOfOnesOwn(t *testing.T) {
	why := errors.New("the registry is closed")
	var next int64
	var fails error
	w := worker.FromSource(func(most int64) (int64, error) {
		require.EqualValues(t, 9, most)
		return next, fails
	}, rand.Text())
	for _, next = range []int64{-1, 10} {
		require.ErrorIs(t, acquireError(t, w, terms(9)), uid.ErrRange)
	}
	next, fails = 3, why
	require.ErrorIs(t, acquireError(t, w, terms(9)), why)
	fails = nil
	require.EqualValues(t, 3, acquire(t, w, terms(9)).WorkerID)
	require.NoError(t, w.Release(t.Context(), 100))

	// The ID may be another one the next time; ticks are not issued again all the same.
	next = 4
	r := acquire(t, w, terms(9))
	require.EqualValues(t, 4, r.WorkerID)
	require.EqualValues(t, 101, r.First)

	require.ErrorIs(t, acquireError(t, worker.FromSource(nil), terms(9)), uid.ErrConfig)
}
