package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/proxy"
	"github.com/uidgen/uid/internal/testserver"
	"github.com/uidgen/uid/worker/sqlite"
)

// stores are the databases of worker IDs.
type stores struct {
	dir    string
	server *testserver.Server
	pair   *testserver.Pair
	proxy  map[string]*proxy.Proxy // by store

	// Of the round.
	database   map[string]string // by store
	path       string
	failedOver time.Time // the last time, by the database's clock; zero if never
}

// openStores starts the servers.
func openStores() (s *stores, err error) {
	s = &stores{proxy: map[string]*proxy.Proxy{}}
	defer func() {
		if err != nil {
			s.close()
			s = nil
		}
	}()
	if s.dir, err = os.MkdirTemp("", "uid-soak-"); err != nil {
		return s, err
	}
	if s.server, err = testserver.Start(testserver.Config{Durable: true}); err != nil {
		return s, err
	}
	if s.pair, err = testserver.StartPair(testserver.Config{}); err != nil {
		return s, err
	}
	for store, target := range map[string]string{mariadb: s.server.Addr(), pair: s.pair.Primary.Addr()} {
		if s.proxy[store], err = proxy.Listen("127.0.0.1:0", target); err != nil {
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

// renew makes empty databases for a round.
func (s *stores) renew() (err error) {
	s.database = map[string]string{}
	s.path = filepath.Join(s.dir, fmt.Sprintf("%d.db", time.Now().UnixNano()))
	s.failedOver = time.Time{}
	for _, store := range []string{mariadb, pair} {
		if s.database[store], err = s.on(store).CreateDatabase(); err != nil {
			return err
		}
		s.proxy[store].Retarget(s.on(store).Addr())
	}
	if s.pair.Replica == nil {
		if err := s.pair.Rejoin(); err != nil {
			return err
		}
	}
	return s.pair.CatchUp()
}

// on returns the server that has a store's database.
func (s *stores) on(store string) *testserver.Server {
	if store == pair {
		return s.pair.Primary
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
	if err := s.pair.Pause(); err != nil {
		return err
	}
	time.Sleep(failoverSpan)
	if err := s.pair.Failover(); err != nil {
		return err
	}
	s.proxy[pair].Retarget(s.pair.Primary.Addr())
	s.failedOver = time.Now()
	return s.pair.Rejoin()
}

// killServer kills the durable server, and starts it again later.
func (s *stores) killServer(down time.Duration) error {
	if err := s.server.Crash(); err != nil {
		return err
	}
	time.Sleep(down)
	return s.server.Restart()
}

// disturb breaks connections.
func (s *stores) disturb(e event) {
	p := s.proxy[e.Store]
	switch e.Fault {
	case cut:
		p.Cut()
	case swallowReply:
		p.SwallowReply("COMMIT")
	case swallowCommit:
		p.SwallowRequest("COMMIT")
	case delay:
		p.Delay(e.By)
		time.Sleep(e.For)
		p.Delay(0)
	}
}

// A leaseRow is what a store says of a worker ID.
type leaseRow struct {
	WorkerID int64 `db:"WORKER_ID"`
	High     int64 `db:"HIGH"`
	Acquired int64 `db:"ACQUIRED"`
}

// leases returns the rows of a namespace.
func (s *stores) leases(store, namespace string) (rows []leaseRow, err error) {
	var db *sqlx.DB
	if store == embedded {
		db, err = sqlite.Open(context.Background(), s.path)
	} else {
		db, err = testserver.Connect(s.on(store).DSN(s.database[store]), testserver.Quiet)
	}
	if err != nil {
		return nil, err
	}
	err = db.Select(&rows, "SELECT WORKER_ID, HIGH, ACQUIRED FROM WORKER_LEASE WHERE NAMESPACE = ? AND WORKER_ID >= 0", namespace)
	return rows, errors.Join(err, db.Close())
}

// unreserved asks a store of leases for the worker IDs of which a tick was drawn that it has
// not reserved, and says which. After a failover a row can tell of its ID only if it was
// acquired since: before that the ticks that the lost commits had reserved were still to be
// burnt.
func (s *stores) unreserved(m *memory, sl slot) (found []string, asked int, err error) {
	number, namespace := sl.shareOf()
	rows, err := s.leases(sl.Store, namespace)
	if err != nil {
		return nil, 0, fmt.Errorf("soak: read the leases of %s: %w", namespace, err)
	}
	high := map[int64]leaseRow{}
	for _, r := range rows {
		high[r.WorkerID] = r
	}
	for id := range int64(1) << idBits {
		last := m.last[number<<idBits+id].Load() - 1
		if last < 0 {
			continue
		}
		r, ok := high[id]
		if sl.Store == pair && r.Acquired < s.failedOver.UnixMicro() {
			continue
		}
		asked++
		if !ok || last > r.High {
			found = append(found, fmt.Sprintf("worker ID %d: tick %d was drawn, and the lease %d of namespace %s in %s reserves ticks up to %d only",
				number<<idBits+id, last, id, namespace, sl.Store, r.High))
		}
	}
	return found, asked, nil
}
