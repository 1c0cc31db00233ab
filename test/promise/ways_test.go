package promise

import (
	"cmp"
	"crypto/rand"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/statefile"
)

// A way is a way to get a worker ID: a column of the matrix, or, where the column has databases, one with
// one of the engines.
type way struct {
	name   string // as in the name of a test
	column string // the key of a column
	engine        // the zero one where there is no database
	worker func(p *process, h how) uid.Worker
}

// An engine is a kind of database.
type engine struct {
	suffix string                            // of the names of ways
	title  string                            // in cells
	always bool                              // it is played unless engines are asked for
	store  func(testing.TB) engines.Database // of tables,

	// keys are a store of keys, on servers of its own if they are kept as a whole.
	keys func(t testing.TB, own bool) *keys
}

var allEngines = []engine{
	{"-mysql", "MySQL", true, engines.NewMySQL, nil}, // MariaDB
	{"-mysql9", "MySQL", false, engines.NewMySQL9, nil},
	{"-galera", "MySQL", false, engines.NewGalera, nil},
	{"-postgres", "PostgreSQL", false, engines.NewPostgres, nil},
	{"-sqlite", "SQLite", true, engines.NewSQLite, nil},
	{"-etcd", "etcd", false, nil, newEtcd},
	{"-kubernetes", "Kubernetes", false, nil, newKubernetes},
	{"-zookeeper", "ZooKeeper", false, nil, newZooKeeper},
	{"-redis", "Redis", false, nil, newRedis},
}

// played reports whether the way is played: those without a database are by default.
func (w way) played() bool {
	if w.suffix == "" {
		return os.Getenv(engines.EnvAsked) == ""
	}
	return engines.Asked(w.suffix[1:])
}

// A column of the matrix, of one type of worker.
type column struct{ key, title, of string }

var columns = []column{
	{static, "Static", "worker.Static"},
	{file, "State file", "statefile.New"},
	{throwaway, "Disposable", "disposable.New"},
	{leased, "Lease", "lease.New"},
	{lossyFile, "Lease, state file", "statefile.OnLease"},
	{durable, "Lease, Losses: Never", "lease.New"},
	{withFile, "Lease, Losses: Never, state file", "statefile.OnLease"},
}

// The keys of columns.
const (
	static    = "static"
	file      = "file"
	throwaway = "disposable"
	leased    = "lease"
	lossyFile = "lease-lossy-file"
	durable   = "lease-durable"
	withFile  = "lease-file"
)

var ways = func() []way {
	all := []way{{name: static, column: static, worker: staticWay}, {name: file, column: file, worker: fileWay}}
	for _, col := range []string{throwaway, leased, lossyFile, durable, withFile} {
		worker := leaseWay
		if col == throwaway {
			worker = disposableWay
		}
		for _, e := range allEngines {
			// No key is a number that is used once, and etcd, Kubernetes and ZooKeeper never lose a write.
			if e.keys == nil || col == durable || col == withFile || e.suffix == "-redis" && col != throwaway {
				all = append(all, way{col + e.suffix, col, e, worker})
			}
		}
	}
	return all
}()

// onKubernetes are the ways on Kubernetes.
var onKubernetes = []string{durable + "-kubernetes", withFile + "-kubernetes"}

// sqlite reports whether the way's database is a SQLite file.
func (s *scene) sqlite() bool { return s.store.Driver == "sqlite" }

// mysql and postgres report whether it is on a server of that kind.
func (s *scene) mysql() bool    { return s.store.Driver == "mysql" }
func (s *scene) postgres() bool { return s.store.Driver == "pgx" }

// leased reports whether the way leases its IDs.
func (s *scene) leased() bool { return s.lossy() || s.durable() }

// lossy reports whether the way leases its IDs on a store that can lose writes, which its history tells.
func (s *scene) lossy() bool { return s.way.column == leased || s.way.column == lossyFile }

// durable reports whether the way leases its IDs on a store of which the user says that it never loses a write.
func (s *scene) durable() bool { return s.way.column == durable || s.way.column == withFile }

func seatID(seat int) int64 { return int64(7 + seat) }

// A space of its own, since the scene's processes are one in truth.
func staticWay(_ *process, h how) uid.Worker { return worker.Static(seatID(h.seat), rand.Text()) }

func fileWay(p *process, h how) uid.Worker {
	path, host := p.s.stateOf(h)
	id := worker.FixedID(seatID(h.seat))
	f, err := statefile.New(path, id, statefile.Config{Host: host, Now: p.now, Logger: quiet})
	require.NoError(p.s.t, err)
	return f
}

func disposableWay(p *process, _ how) uid.Worker {
	d, err := disposable.New(p.s.tables(p.db).Numbers(), disposable.Config{Timeout: sceneTimeout, Logger: quiet})
	require.NoError(p.s.t, err)
	return d
}

// sceneTimeout is how long a start tries that fails in the end, which it does at once but
// for what may pass.
const sceneTimeout = 30 * time.Second

func leaseWay(p *process, h how) uid.Worker {
	s := p.s
	cfg := lease.Config{MaxClockSkew: skew, Timeout: sceneTimeout, Now: p.now, Logger: quiet}
	if s.durable() {
		cfg.Losses = lease.NeverUnchecked // the tests' server does not sync
	}
	if h.lease != nil {
		h.lease(&cfg)
	}
	leases, err := s.leases(p.db, h.namespace)
	require.NoError(s.t, err)
	l, err := lease.New(shifted{leases, s.data.now, s.history}, cfg)
	require.NoError(s.t, err)
	harness.SetClock(l, s.steady)
	p.lease = l
	if !s.keepsState() {
		return l
	}
	path, host := s.stateOf(h)
	f, err := statefile.OnLease(l, path, statefile.Config{Host: host, Now: p.now, Logger: quiet})
	require.NoError(s.t, err)
	return f
}

// stateOf returns where a process has its state file, and on which host.
func (s *scene) stateOf(h how) (path, host string) {
	return cmp.Or(h.path, s.path(h.seat)), cmp.Or(h.host, "alpha")
}

// Leases have their default settings. Only the skew is waited for, and therefore short: so owners reserve a little
// more than by default, and a Burn is beyond that by less than a tick. The others are let pass, and by far longer
// than a scene takes: what it holds to be not over yet must not end because a disk is slow.
const (
	window = time.Minute     // by default
	ttl    = 5 * time.Minute // by default, and as long an ID is left alone then
	skew   = 20 * time.Millisecond
)
