package worker_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker"
)

// A way is a way to get a worker ID: a column of the matrix, or, where the column has two
// databases, half of one.
type way struct {
	name   string // as in the name of a test
	column string // the key of a column
	store  func(testing.TB) store
	worker func(p *process, h how) uid.Worker
}

// A column of the matrix.
type column struct{ key, title string }

var columns = []column{
	{static, "Static"},
	{file, "File"},
	{disposable, "Disposable"},
	{lease, "Lease"},
	{durable, "Lease, DurableStore"},
	{withFile, "Lease, DurableStore, state file"},
}

// The keys of columns.
const (
	static     = "static"
	file       = "file"
	disposable = "disposable"
	lease      = "lease"
	durable    = "lease-durable"
	withFile   = "lease-file"
)

var ways = []way{
	{name: static, column: static, worker: staticWay},
	{name: file, column: file, worker: fileWay},
	{name: disposable + "-mysql", column: disposable, store: newMySQL, worker: disposableWay},
	{name: disposable + "-sqlite", column: disposable, store: newSQLite, worker: disposableWay},
	{name: lease + "-mysql", column: lease, store: newMySQL, worker: leaseWay},
	{name: lease + "-sqlite", column: lease, store: newSQLite, worker: leaseWay},
	{name: durable + "-mysql", column: durable, store: newMySQL, worker: leaseWay},
	{name: durable + "-sqlite", column: durable, store: newSQLite, worker: leaseWay},
	{name: withFile + "-mysql", column: withFile, store: newMySQL, worker: leaseWay},
	{name: withFile + "-sqlite", column: withFile, store: newSQLite, worker: leaseWay},
}

// sqlite reports whether the way's database is a SQLite file.
func (s *scene) sqlite() bool { return s.store.driver == "sqlite" }

// leased reports whether the way leases its IDs.
func (s *scene) leased() bool {
	return s.way.column == lease || s.durable()
}

// durable reports whether the way leases its IDs with DurableStore.
func (s *scene) durable() bool {
	return s.way.column == durable || s.way.column == withFile
}

func seatID(seat int) int64 { return int64(7 + seat) }

func staticWay(_ *process, h how) uid.Worker { return worker.Static(seatID(h.seat)) }

func fileWay(p *process, h how) uid.Worker {
	host := "alpha"
	if h.host != "" {
		host = h.host
	}
	path := p.s.path(h.seat)
	if h.path != "" {
		path = h.path
	}
	f, err := worker.NewFile(path, worker.FixedID(seatID(h.seat)), worker.FileConfig{Host: host, Now: p.now, Logger: (&records{}).logger()})
	require.NoError(p.s.t, err)
	p.file = f
	return f
}

func disposableWay(p *process, _ how) uid.Worker {
	d, err := worker.NewDisposable(p.db, worker.DisposableConfig{Timeout: sceneTimeout, Logger: (&records{}).logger()})
	require.NoError(p.s.t, err)
	return d
}

// sceneTimeout is how long a start tries that fails in the end, which it does at once but
// for what may pass.
const sceneTimeout = 30 * time.Second

func leaseWay(p *process, h how) uid.Worker {
	s := p.s
	cfg := worker.LeaseConfig{
		Window: window, TTL: ttl, Quarantine: quarantine, MaxClockSkew: skew, Timeout: sceneTimeout,
		Holder: p.name, Now: p.off, Logger: (&records{}).logger(),
		DurableStore: s.durable(), DurableStoreUnverified: true, // the tests' server does not sync
	}
	if s.way.column == withFile {
		cfg.StateFile, cfg.Offline, cfg.Host = s.path(h.seat), promisedOffline, "alpha"
		if h.path != "" {
			cfg.StateFile = h.path
		}
		if h.host != "" {
			cfg.Host = h.host
		}
	}
	if h.lease != nil {
		h.lease(&cfg)
	}
	l, err := worker.NewLease(p.db, cfg)
	require.NoError(s.t, err)
	l.ShiftClocks("SELECT MICROS FROM SKIP", func() time.Duration {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.skip
	})
	p.lease = l
	return l
}

// promisedOffline is longer than any other time of a lease, so that it is what ends one.
const promisedOffline = 10 * time.Minute
