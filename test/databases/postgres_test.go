package databases_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
)

// postgres returns a server of a test's own.
func postgres(t testing.TB) *cluster.Postgres {
	t.Helper()
	engines.Needs(t, "postgres")
	s, err := cluster.StartPostgres("postgres")
	cluster.For(t, s, err)
	return s
}

// postgresPair returns one with a standby.
func postgresPair(t testing.TB) *cluster.Pair {
	t.Helper()
	engines.Needs(t, "postgres")
	p, err := cluster.StartPostgresPair("postgres")
	cluster.For(t, p, err)
	return p
}

// pgxModes are the ways in which its driver sends a statement.
var pgxModes = []string{"exec", "simple_protocol", "cache_statement", "cache_describe", "describe_exec"}

// as returns the database as another role sees it.
func as(t testing.TB, s store, role string) *sqlx.DB {
	t.Helper()
	u := must(url.Parse(s.Source))
	u.User = url.User(role)
	return opening(t, "pgx", u.String())
}

// A program may have a pool of pgx in place of database/sql's own.
func TestPoolOfPgx(t *testing.T) {
	pool := must(pgxpool.New(t.Context(), engines.NewPostgres(t).Source))
	defer pool.Close()
	pooled := sqlx.NewDb(stdlib.OpenDBFromPool(pool), "pgx")
	defer pooled.Close()
	require.NoError(t, startDisposable(t, pooled, false))
}

// A renewal and a take of numbers write no index.
func TestRenewalsAreHOT(t *testing.T) {
	db := opening(t, "pgx", engines.NewPostgres(t).Source+"&default_query_exec_mode=exec")
	const owners, times = 50, 40
	segments := segmentsOf(db)
	draw(t, segments, "orders")
	tenantOf(t, db)
	tenants := make([]*tenant, owners)
	for i := range tenants {
		tenants[i] = strangerOf(db, "")
		tenants[i].take(t)
	}
	for range times {
		for _, owner := range tenants {
			require.NoError(t, owner.renew(t.Context()))
			draw(t, segments, "orders")
		}
	}
	const updates = 3 * owners * times
	var all, hot int
	require.Eventually(t, func() bool {
		row := db.QueryRow("SELECT SUM(n_tup_upd), SUM(n_tup_hot_upd) FROM pg_stat_user_tables")
		require.NoError(t, row.Scan(&all, &hot))
		return all >= updates
	}, time.Minute, 50*time.Millisecond)
	t.Logf("%d of %d updates were HOT", hot, all)
	require.Greater(t, hot, all*9/10)
}

// Whatever part of a URL fails, no text tells any of it.
func TestNoSecretsOnPostgres(t *testing.T) {
	s := engines.NewPostgres(t)
	addr := must(url.Parse(s.Source)).Host
	engines.Do(t, s.Open(t), "CREATE ROLE "+canary+"_reader LOGIN PASSWORD '"+canary+"'")
	for name, source := range map[string]string{
		"user":     canary + ":" + canary + "@" + addr + "/uid?sslmode=disable",
		"database": "uid:" + canary + "@" + addr + "/" + canary + "?sslmode=disable",
		"host":     "uid:" + canary + "@" + canary + ".invalid/uid",
		"refused":  "uid:" + canary + "@127.0.0.1:1/" + canary,
		"TLS":      "uid:" + canary + "@" + addr + "/uid?sslmode=require",
		"rights":   canary + "_reader:" + canary + "@" + addr + "/uid?sslmode=disable",
		"setting":  "uid:" + canary + "@" + addr + "/uid?sslmode=disable&" + canary + "=1",
	} {
		t.Run(name, func(t *testing.T) {
			for _, err := range tells(t, opening(t, "pgx", "postgres://"+source))[:3] {
				require.Error(t, err)
			}
		})
	}
}
