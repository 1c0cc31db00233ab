package metrics_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/internal/telemetry"
	"github.com/uidgen/uid/metrics"
	"github.com/uidgen/uid/metrics/internal/measure"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker"
)

// The names keep to the conventions of both systems, and each is there once.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range measure.All() {
		name := m.Prometheus()
		require.Regexp(t, `^uid_[a-z]+(_[a-z]+)*$`, name)
		require.False(t, seen[name], name)
		seen[name] = true
		require.Equal(t, m.Kind == measure.Counter, strings.HasSuffix(name, "_total"), name)
		require.Equal(t, m.Unit == measure.Seconds, strings.Contains(name, "_seconds"), name)
		require.Regexp(t, `^(s|\{[a-z]+\})$`, m.Unit, name)
		require.Regexp(t, `^[A-Z0-9][^\n]*\.$`, m.Help, name)
		short := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(name, "uid_"), "_total"), "_seconds")
		require.Equal(t, "uid."+short, m.OpenTelemetry())
	}
	for _, c := range telemetry.All() {
		require.True(t, seen["uid_"+c+"_total"], c)
	}
}

// values are the samples of a set as a map: generator and metric to value.
func values(s *metrics.Set) map[string]float64 {
	all := map[string]float64{}
	for _, v := range s.Samples() {
		all[v.Generator+" "+measure.All()[v.Metric].Prometheus()] = v.Value
	}
	return all
}

// Every metric has a value somewhere, and the right one.
func TestSamples(t *testing.T) {
	var s metrics.Set
	require.Empty(t, s.Samples())
	for name, g := range fake.Reporters() {
		require.NoError(t, s.Add(name, g))
	}
	all := values(&s)
	shown := map[int]bool{}
	for _, v := range s.Samples() {
		shown[v.Metric] = true
	}
	require.Len(t, shown, len(measure.All()))
	for name, want := range map[string]float64{
		"orders uid_ready": 1, "events uid_ready": 0, "orders uid_warnings": 1, "invoices uid_warnings": 0,
		"orders uid_reservation_remaining_seconds": 42.5, "orders uid_renewal_failing_seconds": 20,
		"invoices uid_renewal_failing_seconds": 0, "events uid_clock_wait_seconds": 30,
		"orders uid_lease_remaining_seconds": 200, "orders uid_lead_seconds": 5, "orders uid_lead_max_seconds": 600,
		"orders uid_began_ahead_seconds": 0,
		"orders uid_worker_id":           7, "orders uid_worker_ids_taken": 8, "orders uid_worker_ids_max": 1024,
		"orders uid_time_field_remaining_seconds": 220752000, "invoices uid_numbers_remaining_seconds": 450,
		"invoices uid_numbers_left": 95000, "invoices uid_numbers_max": 100000, "orders uid_buffered": 65536,
		"orders uid_issued_total": 123456, "invoices uid_segments_taken_total": 3, "events uid_clock_behind_total": 4,
	} {
		got, ok := all[name]
		require.True(t, ok, name)
		require.Equal(t, want, got, name)
	}
	for _, name := range []string{
		"events uid_reservation_remaining_seconds", "events uid_lead_max_seconds", "events uid_buffered",
		"invoices uid_reservation_remaining_seconds", "invoices uid_lead_seconds", "events uid_issued_total",
		"events uid_worker_ids_max", "events uid_began_ahead_seconds",
	} {
		require.NotContains(t, all, name, "there is no such bound")
	}
	s.Remove("orders")
	s.Remove("nobody")
	require.NotContains(t, values(&s), "orders uid_ready")
	require.Contains(t, values(&s), "events uid_ready")
}

// value is a metric of a generator's health.
func value(t *testing.T, h health.Health, metric string) float64 {
	t.Helper()
	all := measure.All()
	v, ok := all[slices.IndexFunc(all, func(m measure.Metric) bool { return m.Prometheus() == metric })].Value(h)
	require.True(t, ok)
	return v
}

// A renewal that fails is never 0, even if the clock went back since.
func TestFailingIsNeverZero(t *testing.T) {
	h := fake.Reporters()["orders"].Health()
	h.Failing.Since = h.Time.AddDate(1, 0, 0)
	require.Positive(t, value(t, h, "uid_renewal_failing_seconds"))
}

func TestBeganAhead(t *testing.T) {
	h := fake.Reporters()["orders"].Health()
	h.Worker.Ahead = &health.Ahead{Until: h.Time.Add(90 * time.Second)}
	require.EqualValues(t, 90, value(t, h, "uid_began_ahead_seconds"))
	h.Time = h.Time.Add(91 * time.Second)
	require.Zero(t, value(t, h, "uid_began_ahead_seconds"))
}

// The generators of this module, as they are.
func TestGenerators(t *testing.T) {
	var s metrics.Set
	c := cached.MustNew(worker.Static(1, "metrics cached"), cached.Config{})
	u := uncached.MustNew(worker.Static(1, "metrics uncached"), uncached.Config{})
	n := segment.MustNew(segmenttest.NewMemory().Client(), "a", segment.Config{Create: true, LossyStore: true})
	for name, g := range map[string]interface {
		uid.Generator
		health.Reporter
	}{"c": c, "u": u, "n": n} {
		require.NoError(t, s.Add(name, g))
		_, err := g.GetUID()
		require.NoError(t, err)
		require.Equal(t, 1.0, values(&s)[name+" uid_ready"])
		require.NoError(t, g.Close())
		require.Zero(t, values(&s)[name+" uid_ready"])
	}
	require.Equal(t, 1.0, values(&s)["c uid_issued_total"])
	require.Equal(t, 1.0, values(&s)["n uid_issued_total"])
}

func TestAddRefuses(t *testing.T) {
	var s metrics.Set
	g := fake.Reporters()["orders"]
	require.ErrorIs(t, s.Add("a", nil), uid.ErrConfig)
	require.ErrorIs(t, s.Add("", g), uid.ErrConfig)
	require.ErrorIs(t, s.Add("a\xff", g), uid.ErrConfig)
	require.ErrorIs(t, s.Add(strings.Repeat("a", 129), g), uid.ErrRange)
	require.Empty(t, s.Samples())
	require.NoError(t, s.Add(strings.Repeat("a", 128), g))
	require.ErrorIs(t, s.Add(strings.Repeat("a", 128), g), uid.ErrConfig)
	s.Remove(strings.Repeat("a", 128))
	require.NoError(t, s.Add(strings.Repeat("a", 128), g))
}

// The set changes while it is read.
func TestSetAtOnce(t *testing.T) {
	var s metrics.Set
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for range 100 {
				name := fmt.Sprint(i)
				if s.Add(name, fake.Reporters()["orders"]) != nil {
					t.Error("refused")
				}
				s.Samples()
				s.Remove(name)
			}
		})
	}
	all.Wait()
	require.Empty(t, s.Samples())
}

var named = regexp.MustCompile(`\buid_[a-z_]+\b`)

// What the dashboard, the alert rules and their tests name, exists; and the operations page has
// each metric.
func TestFilesNameMetricsThatExist(t *testing.T) {
	exists := map[string]bool{}
	for _, m := range measure.All() {
		exists[m.Prometheus()] = true
	}
	for file, least := range map[string]int{"dashboard.json": 12, "alerts.yaml": 10, "alerts_test.yaml": 10} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		found := map[string]bool{}
		for _, name := range named.FindAllString(string(text), -1) {
			require.True(t, exists[name], "%s names %s", file, name)
			found[name] = true
		}
		require.GreaterOrEqual(t, len(found), least, file)
	}
	page, err := os.ReadFile("../docs/operations.md")
	require.NoError(t, err)
	section := regexp.MustCompile(`(?s)### Metrics\n.*?\n### `).FindString(string(page))
	for _, m := range measure.All() {
		require.Contains(t, section, "`"+m.Prometheus()+"`")
	}
	for _, name := range named.FindAllString(section, -1) {
		require.True(t, exists[name], "the operations page names %s", name)
	}
	rules, err := os.ReadFile("alerts.yaml")
	require.NoError(t, err)
	alerts := regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(string(rules), -1)
	require.Len(t, alerts, 10)
	for _, a := range alerts {
		require.Contains(t, section, "`"+a[1]+"`")
	}
	for _, r := range []string{
		telemetry.Closed, telemetry.Exhausted, telemetry.NumbersLost, telemetry.NoReservation, telemetry.ClockIsBehind,
		telemetry.ReservationFailing, telemetry.LeadNearBound, telemetry.TimeFieldEnding, telemetry.WorkerIDsLow,
		telemetry.NumbersLow,
	} {
		require.Contains(t, string(page), "| `"+r+"` | ")
	}
}
