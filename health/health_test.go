package health_test

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/telemetry"
)

func TestString(t *testing.T) {
	h := health.Health{Ready: true}
	require.Equal(t, "ready", h.String())
	h.Reasons = []health.Reason{{Text: "7 are left"}, {Text: "the database is down"}}
	require.Equal(t, "ready: 7 are left; the database is down", h.String())
	h.Ready = false
	require.Equal(t, "not ready: 7 are left; the database is down", h.String())
}

func TestJSON(t *testing.T) {
	text, err := json.MarshalIndent(fake.Reporters()["orders"], "", "  ")
	require.NoError(t, err)
	want, err := os.ReadFile("testdata/health.json")
	require.NoError(t, err)
	require.Equal(t, string(want), string(text)+"\n")
}

// times draws times, also such as JSON cannot hold.
var times = rapid.Custom(func(t *rapid.T) any {
	s, ns := rapid.Int64Range(-1<<40, 1<<40), rapid.Int64Range(0, 999999999)
	zone := time.FixedZone("", rapid.IntRange(-12, 14).Draw(t, "zone")*3600)
	return time.Unix(s.Draw(t, "s"), ns.Draw(t, "ns")).In(zone)
})

// Whatever the numbers are, they come back as they were judged. The store of a worker is in no text.
func checkJSON(t *rapid.T) {
	types := map[reflect.Type]*rapid.Generator[any]{
		reflect.TypeFor[time.Time](): times, reflect.TypeFor[any](): rapid.Just[any]("a store"),
	}
	h := rapid.MakeCustom[health.Health](rapid.MakeConfig{Types: types}).Draw(t, "health")
	ended := rapid.SampledFrom([]error{nil, uid.ErrClosed, uid.ErrExhausted, errors.New("lost")})
	telemetry.Judge(&h, ended.Draw(t, "ended"))
	text, err := json.Marshal(h)
	require.NoError(t, err)
	var read health.Health
	require.NoError(t, json.Unmarshal(text, &read))
	if h.Worker != nil {
		h.Worker.Store = nil
	}
	require.Equal(t, h, read)
}

func TestJSONRoundTrip(t *testing.T) { rapid.Check(t, checkJSON) }

func FuzzHealth(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkJSON)) }
