package fleetsize

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
	"github.com/uidgen/uid/test/process"
	"github.com/uidgen/uid/test/proxy"
	"github.com/uidgen/uid/worker/lease"
)

func TestMain(m *testing.M) {
	child()
	os.Exit(m.Run())
}

// patience bounds the wait for anything.
const patience = 5 * time.Minute

// A size is how much of everything there is.
type size struct {
	processes, leases int // of each process
	window, steady    time.Duration
}

var (
	small = size{processes: 4, leases: 50, window: 10 * time.Second, steady: 10 * time.Second}
	full  = size{processes: 20, leases: 100, window: lease.DefaultWindow, steady: 90 * time.Second}
)

// A fleet is the processes of a run.
type fleet struct {
	t         *testing.T
	processes []*process.Process
	ears      []*ear
	signal    *os.File
}

// An ear keeps what a process says.
type ear struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (e *ear) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text.Write(b)
}

func (e *ear) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text.String()
}

// hear returns what a process says about something, once it has.
func (f *fleet) hear(i int, about func(said) bool) (s said) {
	f.t.Helper()
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		text := f.ears[i].String()
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "{") && strings.HasSuffix(line, "\n") {
				s = said{}
				require.NoError(f.t, json.Unmarshal([]byte(line), &s))
				if about(s) {
					return s
				}
			}
		}
		if f.processes[i].HasEnded() && f.ears[i].String() == text || time.Since(began) > patience {
			require.Fail(f.t, "a process does not say what it should", tail(text))
		}
	}
}

func tail(s string) string { return s[max(0, len(s)-4000):] }

// launch starts the processes of a fleet. They wait for the signal.
func launch(t *testing.T, j job, n int) *fleet {
	t.Helper()
	text, err := json.Marshal(j)
	require.NoError(t, err)
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer read.Close()
	f := &fleet{t: t, signal: write}
	t.Cleanup(func() {
		write.Close()
		for _, p := range f.processes {
			p.Kill()
		}
	})
	for range n {
		e := &ear{}
		p, err := process.Start(process.Config{Env: []string{childEnv + "=" + string(text)}, Files: []*os.File{read}, Output: e})
		require.NoError(t, err)
		f.processes, f.ears = append(f.processes, p), append(f.ears, e)
	}
	for i := range f.processes {
		f.hear(i, func(s said) bool { return s.Ready })
	}
	return f
}

// start gives the signal and returns what became of all leases' starts.
func (f *fleet) start() (all started) {
	f.t.Helper()
	f.signal.Close()
	for i := range f.processes {
		s := f.hear(i, func(s said) bool { return s.Started != nil }).Started
		all.IDs = append(all.IDs, s.IDs...)
		all.Acquired, all.Drew = append(all.Acquired, s.Acquired...), append(all.Drew, s.Drew...)
		all.Errors = append(all.Errors, s.Errors...)
	}
	require.Empty(f.t, all.Errors)
	ids := slices.Clone(all.IDs)
	slices.Sort(ids)
	require.Len(f.t, slices.Compact(ids), len(all.IDs), "two leases have the same worker ID")
	return all
}

// end has all released, and returns the calls of the store.
func (f *fleet) end() (calls []call) {
	f.t.Helper()
	for _, p := range f.processes {
		p.Quit()
	}
	for i, p := range f.processes {
		e := f.hear(i, func(s said) bool { return s.Ended != nil }).Ended
		require.Empty(f.t, e.Errors)
		calls = append(calls, e.Calls...)
		<-p.Done()
	}
	return calls
}

// TestFleet measures each kind of server.
func TestFleet(t *testing.T) {
	size, isFull := small, os.Getenv("FULL") != ""
	if isFull {
		size = full
	}
	before := load(t)
	var all []measured
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			if m := e.start(t).measure(t, size); !t.Failed() {
				all = append(all, m)
			}
		}) // its servers are gone then
	}
	table(t, size, before, all, isFull && len(all) == len(engines))
}

// latency is one way's, of the line.
const latency = 40 * time.Millisecond

func (s *server) measure(t *testing.T, size size) (m measured) {
	m.name = s.name
	found := func(t *testing.T, namespace string) {
		store, closer, err := s.place(s.addrs).open(t.Context(), namespace)
		require.NoError(t, err)
		defer closer.Close()
		terms := bits.Default().Terms()
		require.NoError(t, lease.Found(t.Context(), store, lease.Founding{Terms: terms}))
	}
	t.Run("near", func(t *testing.T) {
		found(t, "near")
		f := launch(t, job{s.place(s.addrs), "near", size.leases, size.window}, size.processes)
		m.near = f.start()
		t.Logf("all %d have an ID after %v", len(m.near.IDs), slices.Max(m.near.Acquired))
		began, cpu, counted := time.Now(), s.cpu(t), s.counted(t)
		time.Sleep(size.steady)
		ended := time.Now()
		m.cpu = float64(s.cpu(t)-cpu) / float64(ended.Sub(began))
		m.counted = s.counted(t) - counted
		m.steady = ended.Sub(began)
		for _, c := range f.end() {
			// At the start some may wait for a connection for too long, and try again. What was under
			// way when the processes were told to end may have been given up.
			if c.Change && c.Error != "" && c.Began.After(began) && c.Began.Add(c.Took).Before(ended) {
				m.failed = append(m.failed, c.Error)
			}
			switch {
			case c.Began.After(ended):
				if c.Change && c.Error == "" {
					m.released++
				}
			case !c.Change && c.Error == "":
				m.takes = append(m.takes, c.Took)
			case c.Change && c.Began.After(began):
				m.renewals = append(m.renewals, c.Took)
			}
		}
		require.Empty(t, m.failed, "renewals failed")
		require.GreaterOrEqual(t, m.released, size.leases*size.processes, "each is released")
		require.GreaterOrEqual(t, len(m.renewals), size.leases*size.processes, "each renews at least once")
	})
	t.Run("far", func(t *testing.T) {
		found(t, "far")
		addrs := make([]string, len(s.addrs))
		proxies := make([]*proxy.Proxy, len(s.addrs))
		for i, addr := range s.addrs {
			p, err := proxy.Listen("127.0.0.1:0", addr)
			require.NoError(t, err)
			t.Cleanup(p.Close)
			p.Latency(latency)
			proxies[i], addrs[i] = p, p.Addr()
		}
		traffic := func() (n int64) {
			for _, p := range proxies {
				to, from := p.Traffic()
				n += to + from
			}
			return n
		}
		f := launch(t, job{s.place(addrs), "far", size.leases, size.window}, size.processes)
		m.far = f.start()
		t.Logf("all %d have an ID after %v", len(m.far.IDs), slices.Max(m.far.Acquired))
		m.startBytes = traffic()
		began := time.Now()
		time.Sleep(size.window)
		m.renewBytes = traffic() - m.startBytes
		ended := time.Now()
		for _, c := range f.end() {
			if c.Change && c.Began.After(began) && c.Began.Before(ended) {
				m.farRenewals = append(m.farRenewals, c.Took)
			}
		}
		require.Less(t, slices.Max(m.far.Acquired), time.Minute, "all that start at once have an ID within a minute")
	})
	return m
}
