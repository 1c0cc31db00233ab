package databases_test

import (
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/test/kit"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// milliseconds is a layout of short ticks, so that a new owner need not wait long.
var milliseconds = func() bits.Layout {
	l, err := bits.ParseLayout("41/10/12 unit=1ms epoch=2026-01-01T00:00:00Z")
	if err != nil {
		panic(err)
	}
	return l
}()

// millisecondTerms are those of a generator of milliseconds.
func millisecondTerms() uid.Terms {
	t := milliseconds.Terms()
	t.Revoke = func() {}
	return t
}

// A site is a database with leases and a registry, whose time a test can move.
type site struct {
	t      testing.TB
	db     *sqlx.DB
	tables *sqlstore.DB

	mu      sync.Mutex
	skip    time.Duration // by how much the clocks of all processes are ahead
	shift   time.Duration // by how much the database's is
	founded bool          // the namespace is there
}

func eachSite(t *testing.T, test func(t *testing.T, s *site)) {
	kit.Each(t, func(t *testing.T, s kit.Store) { test(t, newSite(t, s.Open(t))) })
}

func newSite(t testing.TB, db *sqlx.DB) *site {
	t.Helper()
	return &site{t: t, db: db, tables: tablesOf(t, db, sqlstore.Config{})}
}

// pass lets time pass for the database and all processes.
func (s *site) pass(d time.Duration) {
	s.shiftDatabase(d)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.skip += d
}

// shiftDatabase sets the clock of the database alone.
func (s *site) shiftDatabase(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shift += d
}

func (s *site) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Add(s.skip)
}

func (s *site) ahead() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shift
}

// What leases are given. The skew is waited for, and therefore short.
const (
	siteWindow = time.Minute
	siteTTL    = 3 * siteWindow // and as long an ID is left alone then
	siteSkew   = 20 * time.Millisecond
)

// lease returns a lease in the default namespace, which is there, and of which nobody had
// an ID before the first.
func (s *site) lease(cfg lease.Config) *lease.Lease {
	s.t.Helper()
	leases, err := s.tables.Leases("")
	require.NoError(s.t, err)
	if !s.founded {
		s.founded = true
		require.NoError(s.t, lease.Found(s.t.Context(), leases, lease.Founding{Layout: milliseconds}))
	}
	cfg.Window, cfg.TTL, cfg.MaxClockSkew, cfg.Now = siteWindow, siteTTL, siteSkew, s.now
	cfg.Logger = (&logtest.Records{}).Logger()
	l, err := lease.New(kit.Shifted(leases, s.ahead), cfg)
	require.NoError(s.t, err)
	return l
}

func (s *site) acquire(l *lease.Lease) uid.Reservation {
	s.t.Helper()
	r, err := l.Acquire(s.t.Context(), millisecondTerms())
	require.NoError(s.t, err)
	return r
}

func (s *site) extend(l *lease.Lease, through int64) uid.Reservation {
	s.t.Helper()
	r, err := l.Extend(s.t.Context(), through)
	require.NoError(s.t, err)
	return r
}

// tick is the processes' clock.
func (s *site) tick() int64 { return milliseconds.Terms().TickAt(s.now()) }
