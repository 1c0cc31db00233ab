// Package server starts the servers that the benchmarks measure, each when it is first
// needed, and stops them at the end. They listen on the loopback interface and keep their
// data in a temporary folder. They are set up for speed: a crash may lose data.
package server

import (
	"fmt"
	"strings"
	"sync"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"

	"github.com/uidgen/uid/test/engines/cluster"
)

// The results depend on these settings. Commits are not flushed to the disk. The buffer pool has
// MariaDB's default size, less than the larger tables.
var (
	mariaDBArgs = []string{
		"--innodb-buffer-pool-size=128M",
		"--innodb-log-file-size=256M",
		"--innodb-flush-log-at-trx-commit=0",
		"--max-connections=200",
	}
	redisArgs = []string{"--save=", "--appendonly=no"}
)

// connections bounds how many goroutines wait for a server at the same time.
const connections = 64

// Set is a set of servers. Its methods may be called by any number of goroutines at once.
type Set struct {
	// Say is told which servers there are, and how they are set up.
	Say func(key string, value any)

	mu      sync.Mutex
	mariadb *sqlx.DB
	redis   *redis.Client
	stops   []func()
}

// MariaDB returns a database on the server. It first installs a missing server, if apt-get can be used.
func (s *Set) MariaDB() (*sqlx.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mariadb != nil {
		return s.mariadb, nil
	}
	server, err := cluster.StartMariaDB("mariadb", mariaDBArgs...)
	if err != nil {
		return nil, err
	}
	s.stops = append(s.stops, server.Close)
	db, err := sqlx.Connect("mysql", server.DSN("uid"))
	if err != nil {
		return nil, fmt.Errorf("connect to MariaDB: %w", err)
	}
	s.stops = append(s.stops, func() { db.Close() })
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	var version string
	if err := db.Get(&version, "SELECT VERSION()"); err != nil {
		return nil, err
	}
	s.Say("database", version+" "+strings.Join(mariaDBArgs, " "))
	s.mariadb = db
	return db, nil
}

// Redis returns a client of the server, which it first installs like MariaDB.
func (s *Set) Redis() (*redis.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.redis != nil {
		return s.redis, nil
	}
	server, err := cluster.StartRedis("redis", redisArgs...)
	if err != nil {
		return nil, err
	}
	s.stops = append(s.stops, server.Close)
	version, err := server.Version()
	if err != nil {
		return nil, err
	}
	s.Say("redis", version+" "+strings.Join(redisArgs, " "))
	s.redis = redis.NewClient(&redis.Options{
		Addr: server.Addr(0), PoolSize: connections,
		DialTimeout: time.Second, DialerRetries: 1, MaxRetries: -1, DisableIdentity: true,
	})
	s.stops = append(s.stops, func() { _ = s.redis.Close() })
	return s.redis, nil
}

// Stop stops what was started.
func (s *Set) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.stops) - 1; i >= 0; i-- {
		s.stops[i]()
	}
	s.stops, s.mariadb, s.redis = nil, nil, nil
}
