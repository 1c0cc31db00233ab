package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlite"
	"github.com/uidgen/uid/worker/sqlstore"
)

// stores are the databases of worker IDs.
type stores struct {
	commits atomic.Int64 // that were disturbed
	dir     string
	server  *cluster.MySQL
	pair    *cluster.Pair
	proxy   map[string]*harness.Proxy // by store

	// Of the round.
	database map[string]string // by store
	path     string
	ids      lease.Range // that the namespaces have, all by default
	mu       sync.Mutex
	rewound  map[string]time.Time // by store or table: when it lost commits last, by its clock
}

// openStores starts the servers.
func openStores() (s *stores, err error) {
	s = &stores{proxy: map[string]*harness.Proxy{}}
	defer func() {
		if err != nil {
			s.close()
			s = nil
		}
	}()
	if s.dir, err = os.MkdirTemp("", "uid-soak-"); err != nil {
		return s, err
	}
	if s.server, err = cluster.StartMariaDB("mariadb"); err != nil {
		return s, err
	}
	if s.pair, err = cluster.StartMariaDBPair("pair"); err != nil {
		return s, err
	}
	for store, target := range map[string]string{mariadb: s.server.Addr(0), pair: s.pair.Addr()} {
		if s.proxy[store], err = harness.Listen("127.0.0.1:0", target); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (s *stores) close() {
	for _, p := range s.proxy {
		p.Close()
	}
	if s.pair != nil {
		s.pair.Close()
	}
	if s.server != nil {
		s.server.Close()
	}
	if s.dir != "" {
		_ = os.RemoveAll(s.dir)
	}
}

// renew makes empty databases for a round, with the namespaces that its slots lease in.
func (s *stores) renew(slots []slot) (err error) {
	s.database = map[string]string{}
	s.path = filepath.Join(s.dir, fmt.Sprintf("%d.db", time.Now().UnixNano()))
	s.rewound = nil
	for _, store := range []string{mariadb, pair} {
		if s.database[store], err = s.on(store).CreateDatabase(); err != nil {
			return err
		}
		s.proxy[store].Retarget(s.on(store).Addr(0))
	}
	if !s.pair.Whole() {
		if err := s.pair.Rejoin(); err != nil {
			return err
		}
	}
	if err := s.foundAll(slots); err != nil {
		return err
	}
	return s.pair.CatchUp()
}

// foundAll makes the namespaces of the slots' leases. The harness knows that they are new.
func (s *stores) foundAll(slots []slot) error {
	for _, t := range leaseTables(slots) {
		db, err := s.open(t.Store)
		if err != nil {
			return err
		}
		if err := errors.Join(s.found(db, t, false), db.Close()); err != nil {
			return err
		}
	}
	return nil
}

// found makes the namespace of a table, and the table, or raises its floor if it was lost.
func (s *stores) found(db *sqlx.DB, t leaseTable, lost bool) error {
	r, err := t.registry(db)
	if err != nil {
		return err
	}
	return r.Init(context.Background(), t.Namespace, lease.Founding{Layout: soakLayout, Lost: lost, IDs: s.ids})
}

// in returns the tables of a database, the table of leases among them.
func (t leaseTable) in(db *sqlx.DB) (*sqlstore.DB, error) {
	return sqlstore.New(db, sqlstore.Config{LeaseTable: t.Name, Logger: quiet})
}

// registry is that of whoever looks after the table.
func (t leaseTable) registry(db *sqlx.DB) (*registry.Registry, error) {
	tables, err := t.in(db)
	if err != nil {
		return nil, err
	}
	return registry.New(tables.Registry(), registry.Config{Logger: quiet})
}

// on returns the server that has a store's database.
func (s *stores) on(store string) *cluster.MySQL {
	if store == pair {
		return s.pair.MySQL()
	}
	return s.server
}

// dsn is what processes reach a store by. Replies that take too long are given up.
func (s *stores) dsn(store string) string {
	if s == nil || s.proxy[store] == nil {
		return ""
	}
	cfg := s.on(store).Config(s.database[store])
	cfg.Addr = s.proxy[store].Addr()
	cfg.Timeout, cfg.ReadTimeout, cfg.WriteTimeout = 2*time.Second, 3*time.Second, 3*time.Second
	return cfg.FormatDSN()
}

// failover loses what was committed in the last while, for the processes to find out.
func (s *stores) failover() error {
	s.pair.Lag(true)
	time.Sleep(failoverSpan)
	if err := s.pair.Failover(); err != nil {
		return err
	}
	s.proxy[pair].Retarget(s.pair.Addr())
	s.rewind(pair)
	return s.pair.Rejoin()
}

// killServer kills the durable server, and starts it again later.
func (s *stores) killServer(down time.Duration) error {
	s.server.Kill()
	time.Sleep(down)
	return s.server.Restart()
}

// commit returns a text of the statement that commits: of leases and of disposable IDs in turns.
func (s *stores) commit() string {
	if s.commits.Add(1)%2 == 0 {
		return cluster.Commit
	}
	return cluster.LeaseWrite
}

// disturb breaks connections.
func (s *stores) disturb(e event) {
	p := s.proxy[e.Store]
	switch e.Fault {
	case cut:
		p.Cut()
	case swallowReply:
		p.SwallowReply(s.commit())
	case swallowCommit:
		p.SwallowRequest(s.commit())
	case delay:
		p.Delay(e.By)
		time.Sleep(e.For)
		p.Delay(0)
	}
}

// open opens a store's database, by no proxy.
func (s *stores) open(store string) (*sqlx.DB, error) {
	if store == embedded {
		return sqlite.Open(context.Background(), s.path)
	}
	cfg := s.on(store).Config(s.database[store])
	cfg.ClientFoundRows = true // one that is as an edit wants it counts, too; as on SQLite
	return cluster.Connect(cfg.FormatDSN(), cluster.Quiet)
}

// rewind notes that a store has lost commits, or a table was given an older state.
func (s *stores) rewind(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rewound == nil {
		s.rewound = map[string]time.Time{}
	}
	s.rewound[what] = time.Now()
}

// A leaseRow is what a store says of a worker ID, or with -1 of the namespace.
type leaseRow struct {
	WorkerID int64  `db:"WORKER_ID"`
	High     int64  `db:"HIGH"`
	Acquired int64  `db:"ACQUIRED"`
	Holder   string `db:"HOLDER"`
}

// leasesIn returns the rows of a table's namespace.
func (s *stores) leasesIn(db *sqlx.DB, t leaseTable) (rows []leaseRow, err error) {
	err = db.Select(&rows, "SELECT WORKER_ID, HIGH, ACQUIRED, HOLDER FROM "+t.Name+" WHERE NAMESPACE = ?", t.Namespace)
	return rows, err
}

// unreserved asks a table of leases for the worker IDs of which a tick was drawn that it has
// not reserved, and says which. What was reserved by a row that is gone lies below the
// namespace's floor. After a loss of commits a row can tell of its ID only if it was acquired
// since: before that the ticks that the lost commits had reserved were still to be burnt.
func (s *stores) unreserved(m *memory, t leaseTable) (found []string, asked int, err error) {
	db, err := s.open(t.Store)
	if err != nil {
		return nil, 0, err
	}
	rows, err := s.leasesIn(db, t)
	if err := errors.Join(err, db.Close()); err != nil {
		return nil, 0, fmt.Errorf("soak: read the leases of %s: %w", t.Namespace, err)
	}
	byID := map[int64]leaseRow{}
	for _, r := range rows {
		byID[r.WorkerID] = r
	}
	control := byID[controlID]
	rewound := max(s.rewound[t.Store].UnixMicro(), s.rewound[t.Name].UnixMicro())
	for id := range int64(1) << idBits {
		last := m.Newest(t.Share<<idBits + id)
		if last < 0 {
			continue
		}
		r, ok := byID[id]
		if !ok {
			r = leaseRow{High: -1, Acquired: control.Acquired}
		}
		if r.Acquired < rewound {
			continue
		}
		asked++
		if reserved := max(r.High, control.High); last > reserved {
			found = append(found, fmt.Sprintf(
				"worker ID %d: tick %d was drawn, and the lease %d of namespace %s in %s reserves ticks up to %d only",
				t.Share<<idBits+id, last, id, t.Namespace, t.Store, reserved))
		}
	}
	return found, asked, nil
}

// controlID is the worker ID of a namespace's own row.
const controlID = -1
