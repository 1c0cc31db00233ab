package fleetsize

import (
	"context"
	"io"
	"strconv"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

func mariaDB(t *testing.T) *server {
	m, err := cluster.StartMariaDB("mariadb", "--innodb-buffer-pool-size=64M", "--max-connections=1000")
	cluster.For(t, m, err)
	version, err := m.Version()
	require.NoError(t, err)
	return &server{
		name: "MariaDB " + version, nodes: []*cluster.Server{m.Server}, addrs: []string{m.Addr(0)},
		place: func(addrs []string) place { return place{"mysql", m.Source(addrs[0])} },
		counted: func(t testing.TB) int64 {
			db, err := cluster.Connect(m.Source(m.Addr(0)), cluster.Quiet)
			require.NoError(t, err)
			defer db.Close()
			var name, value string
			require.NoError(t, db.QueryRow("SHOW GLOBAL STATUS LIKE 'Questions'").Scan(&name, &value))
			n, err := strconv.ParseInt(value, 10, 64)
			require.NoError(t, err)
			return n
		},
	}
}

func openMySQL(_ context.Context, where, namespace string) (lease.Store, io.Closer, error) {
	db, err := cluster.Connect(where, cluster.Quiet)
	return tables(db, err, namespace)
}

func postgres(t *testing.T) *server {
	p, err := cluster.StartPostgres("postgres", "shared_preload_libraries=pg_stat_statements", "max_connections=1000")
	cluster.For(t, p, err)
	version, err := p.Version()
	require.NoError(t, err)
	db, err := sqlx.Connect("pgx", p.URL(p.Addr(0)))
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Exec("CREATE EXTENSION pg_stat_statements")
	require.NoError(t, err)
	return &server{
		name: "PostgreSQL " + version, nodes: []*cluster.Server{p.Server}, addrs: []string{p.Addr(0)},
		place: func(addrs []string) place { return place{"postgres", p.URL(addrs[0])} },
		counted: func(t testing.TB) (n int64) {
			db, err := sqlx.Connect("pgx", p.URL(p.Addr(0)))
			require.NoError(t, err)
			defer db.Close()
			require.NoError(t, db.Get(&n, "SELECT sum(calls) FROM pg_stat_statements"))
			return n
		},
	}
}

func openPostgres(_ context.Context, where, namespace string) (lease.Store, io.Closer, error) {
	db, err := sqlx.Open("pgx", where)
	return tables(db, err, namespace)
}

// connections is how many each process may have to a database.
const connections = 5

func tables(db *sqlx.DB, err error, namespace string) (lease.Store, io.Closer, error) {
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	tables, err := sqlstore.New(db, sqlstore.Config{})
	if err != nil {
		return nil, nil, err
	}
	leases, err := tables.Leases(namespace)
	return leases, db, err
}
