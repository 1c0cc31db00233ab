package tenants

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/process"
	"github.com/uidgen/uid/worker/lease"
)

func TestMain(m *testing.M) {
	child()
	os.Exit(m.Run())
}

const (
	tenants  = 1000
	patience = 3 * time.Minute
	window   = 20 * time.Second // short, so that leases of the dead end soon, and longer than a thousand starts take
)

// An ear hears what a process says.
type ear struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (e *ear) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text.Write(b)
}

func (e *ear) all() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text.String()
}

// lines returns what was said in whole lines.
func (e *ear) lines(t *testing.T) (all []said) {
	t.Helper()
	for line := range strings.Lines(e.all()) {
		if strings.HasPrefix(line, "{") && strings.HasSuffix(line, "\n") {
			var s said
			require.NoError(t, json.Unmarshal([]byte(line), &s))
			all = append(all, s)
		}
	}
	return all
}

// A run is a process with its tenants.
type run struct {
	*process.Process
	ear ear
}

func launch(t *testing.T, j job) *run {
	t.Helper()
	text, err := json.Marshal(j)
	require.NoError(t, err)
	r := &run{}
	r.Process, err = process.Start(process.Config{Env: []string{childEnv + "=" + string(text)}, Output: &r.ear})
	require.NoError(t, err)
	t.Cleanup(r.Kill)
	return r
}

// hear waits until the process has said something.
func (r *run) hear(t *testing.T, about func(said) bool) (found said) {
	t.Helper()
	require.Eventually(t, func() bool {
		over := r.HasEnded()
		for _, s := range r.ear.lines(t) {
			require.Empty(t, s.Error)
			if about(s) {
				found = s
				return true
			}
		}
		require.False(t, over, "it has ended: %s", r.ear.all())
		return false
	}, patience, 100*time.Millisecond)
	return found
}

func (r *run) started(t *testing.T) started {
	t.Helper()
	return *r.hear(t, func(s said) bool { return s.Started != nil }).Started
}

func (r *run) quit(t *testing.T) ended {
	t.Helper()
	r.Quit()
	e := *r.hear(t, func(s said) bool { return s.Ended != nil }).Ended
	<-r.Done()
	return e
}

// distinct checks that no UID of any run came twice, and returns how many there were.
func distinct(t *testing.T, runs ...*run) int {
	t.Helper()
	seen := map[int64]bool{}
	for _, r := range runs {
		for _, s := range r.ear.lines(t) {
			for _, u := range s.UIDs {
				require.False(t, seen[u], "UID %d came twice", u)
				seen[u] = true
			}
		}
	}
	return len(seen)
}

// of returns how many IDs of one are among those of another.
func of(ids, others []int64) (n int) {
	for _, id := range ids {
		if slices.Contains(others, id) {
			n++
		}
	}
	return n
}

func TestOnMariaDB(t *testing.T) {
	m, err := cluster.StartMariaDB("mariadb")
	cluster.For(t, m, err)
	try(t, job{Driver: "mysql", Source: m.Source(m.Addr(0))})
}

func TestOnPostgres(t *testing.T) {
	p, err := cluster.StartPostgres("postgres")
	cluster.For(t, p, err)
	try(t, job{Driver: "pgx", Source: p.URL(p.Addr(0))})
}

func try(t *testing.T, j job) {
	j.Tenants, j.Way, j.Window, j.Namespace = tenants, sideBySide, window, "tenants"
	found(t, j)
	first := launch(t, j)
	one := first.started(t)
	t.Logf("%d tenants, %s: %v, %+v, %d bytes each", len(one.IDs), j.Way, one.Took, one.Calls, one.Heap/tenants)
	require.Less(t, slices.Max(one.IDs), int64(2*tenants), "no more rows than some of the last batch are left over")
	first.Kill()

	// Its leases last: the next process has others.
	second := launch(t, j)
	two := second.started(t)
	require.Zero(t, of(two.IDs, one.IDs), "IDs that are leased to the dead")
	second.Kill()
	dead := time.Now()

	// When they have ended, the next one takes them over.
	time.Sleep(time.Until(dead.Add(window + window/2 + lease.DefaultMaxClockSkew)))
	third := launch(t, j)
	three := third.started(t)
	require.NotZero(t, of(three.IDs, append(one.IDs, two.IDs...)), "IDs of the dead")
	t.Logf("taken over: %v, %+v", three.Took, three.Calls)
	for _, ids := range [][]int64{one.IDs, two.IDs, three.IDs} {
		slices.Sort(ids)
		require.Len(t, slices.Compact(ids), tenants, "two tenants have the same worker ID")
	}
	if full() {
		time.Sleep(30 * time.Second)
	}
	e := third.quit(t)
	t.Logf("in %v: %+v; the end of all: %v, %+v", e.Seen, e.Steady, e.Took, e.Release)
	require.GreaterOrEqual(t, e.Release.Changes, int64(tenants))
	t.Logf("%d UIDs, none twice", distinct(t, first, second, third))

	if !full() {
		return
	}
	for _, way := range []way{oneByOne, sideBySide} {
		j.Way, j.Namespace, j.Window = way, "tenants "+string(way)+time.Now().Format("150405"), lease.DefaultWindow
		if j.Tenants = tenants; way == oneByOne {
			j.Tenants = 10
		}
		found(t, j)
		r := launch(t, j)
		s := r.started(t)
		t.Logf("%d tenants, %s: %v, %+v", j.Tenants, way, s.Took, s.Calls)
		if way == sideBySide {
			time.Sleep(4 * time.Minute)
		}
		e := r.quit(t)
		t.Logf("in %v: %+v, in each half minute %v; the end of all: %v, %+v", e.Seen, e.Steady, e.Changes, e.Took, e.Release)
		distinct(t, r)
	}
}

func full() bool { return os.Getenv("FULL") != "" }

func found(t *testing.T, j job) {
	t.Helper()
	db, store, err := j.store()
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, lease.Found(t.Context(), store, lease.Founding{Terms: bits.Default().Terms()}))
}
