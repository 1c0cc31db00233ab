// Package server starts the servers that the benchmarks measure, each when it is first
// needed, and stops them at the end. They listen on the loopback interface and keep their
// data in a temporary folder. They are set up for speed: a crash may lose data.
package server

import (
	"fmt"
	"sync"

	_ "github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"

	"github.com/uidgen/uid/test/engines/cluster"
)

// MariaDBArgs are the settings that the results depend on. Commits are not flushed to the
// disk. The buffer pool has MariaDB's default size, less than the larger tables.
var MariaDBArgs = []string{
	"--innodb-buffer-pool-size=128M",
	"--innodb-log-file-size=256M",
	"--innodb-flush-log-at-trx-commit=0",
	"--max-connections=200",
	"--innodb-doublewrite=0",
}

// Set is a set of servers. The zero value is ready to use.
type Set struct {
	mu      sync.Mutex
	mariadb *sqlx.DB
	stops   []func()
	redis   *redis.Client
}

// MariaDB returns a new database on the server. It may be called by any number of
// goroutines at once.
func (s *Set) MariaDB() (*sqlx.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mariadb != nil {
		return s.mariadb, nil
	}
	server, err := cluster.StartMariaDB("mariadb", MariaDBArgs...)
	if err != nil {
		return nil, err
	}
	s.stops = append(s.stops, server.Close)
	pool, err := sqlx.Connect("mysql", server.DSN("uid"))
	if err != nil {
		return nil, fmt.Errorf("connect to MariaDB: %w", err)
	}
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	s.stops = append(s.stops, func() { pool.Close() })
	s.mariadb = pool
	return pool, nil
}

// connections bounds how many goroutines wait for a server at the same time.
const connections = 64

// Stop stops what was started. It may be called more than once.
func (s *Set) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.stops) - 1; i >= 0; i-- {
		s.stops[i]()
	}
	s.stops, s.mariadb, s.redis = nil, nil, nil
}
