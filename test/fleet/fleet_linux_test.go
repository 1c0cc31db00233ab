package fleet

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/crew"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// times returns how often a fault is injected: few times, or full with UID_FAULTS=full.
func times(few, full int) int {
	if os.Getenv("UID_FAULTS") == "full" {
		return full
	}
	return few
}

// A fleet is the processes of a test, and the database that they share.
type fleet struct {
	*crew.Crew
	t testing.TB
}

func newFleet(t testing.TB, j crew.Job) *fleet {
	t.Helper()
	return &fleet{crew.New(t, j), t}
}

// finish ends all processes, and has the test fail if a tick was given twice, or, with
// blind workers, if none was found. Nobody's log holds anything of the DSN.
func (f *fleet) finish() {
	f.t.Helper()
	f.CloseAll()
	for _, p := range f.All {
		require.NotContains(f.t, strings.ToLower(p.Log()), canary, "process %d", p.Number)
	}
	f.Check()
}

// mostAtOnce returns how many IDs can have been in use or in quarantine at once.
func (f *fleet) mostAtOnce() int {
	var lives []life
	for _, p := range f.All {
		lives = append(lives, life{p.Began(), p.Ended()})
	}
	var lost []time.Time
	for _, e := range f.Happened(lease.Lost) {
		lost = append(lost, time.Unix(0, e.At.Load()))
	}
	return mostAtOnce(lives, lost, f.Job.Lease)
}

// A ledger is a row of the table, or what it became.
type ledger struct {
	ID       int64  `db:"WORKER_ID"`
	Nonce    string `db:"NONCE"`
	High     int64  `db:"HIGH"`
	Until    int64  `db:"LEASE_UNTIL"`
	Acquired int64  `db:"ACQUIRED"`
	Renewed  int64  `db:"RENEWED"`
}

// rows returns those of the IDs.
func rows(t testing.TB, db *sqlx.DB) (all []ledger) {
	t.Helper()
	require.NoError(t, db.Select(&all, "SELECT WORKER_ID, NONCE, HIGH, LEASE_UNTIL, ACQUIRED, RENEWED FROM WORKER_LEASE WHERE WORKER_ID >= 0 ORDER BY WORKER_ID"))
	return all
}

// unreserved returns the IDs of which a UID was given whose tick the table does not
// know of.
func (f *fleet) unreserved(db *sqlx.DB) (ids []int64) {
	f.t.Helper()
	for _, row := range rows(f.t, db) {
		if row.High < f.Newest(row.ID) {
			ids = append(ids, row.ID)
		}
	}
	return ids
}

// prepare makes the database and the account that the fleet uses, with the rights that
// it needs, and returns the database as the account with all rights has it.
func prepare(t testing.TB, s *cluster.MySQL) *sqlx.DB {
	t.Helper()
	db := s.Open(t, "")
	for _, statement := range []string{
		"DROP DATABASE IF EXISTS " + canary,
		"CREATE DATABASE " + canary,
		"CREATE OR REPLACE USER '" + canary + "'@'%' IDENTIFIED BY '" + canary + "'",
		"GRANT SELECT, INSERT, UPDATE ON " + canary + ".* TO '" + canary + "'@'%'",
	} {
		_, err := db.Exec(statement)
		require.NoError(t, err, statement)
	}
	db = s.Open(t, canary)
	found(t, db, 0)
	return db
}

// found makes the fleet's namespace.
func found(t testing.TB, db *sqlx.DB, rest time.Duration) {
	t.Helper()
	tables, err := sqlstore.New(db, sqlstore.Config{})
	require.NoError(t, err)
	leases, err := tables.Leases("")
	require.NoError(t, err)
	require.NoError(t, lease.Found(t.Context(), leases, lease.Founding{Terms: crew.Layout.Terms(), Rest: rest}))
}
