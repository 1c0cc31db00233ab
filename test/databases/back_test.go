package databases_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A copy of a SQLite file is copied over it, under running owners.
func TestFileCopiedBack(t *testing.T) {
	t.Parallel()
	engines.Needs(t, "sqlite")
	s := engines.NewSQLite(t)
	engines.PutBack{
		Store: func() lease.Store { return must(tablesOf(s.Open(t), sqlstore.Config{}).Leases("")) },
		Keep: func() (back func()) {
			kept := must(os.ReadFile(s.Source))
			return func() { require.NoError(t, os.WriteFile(s.Source, kept, 0o600)) }
		},
	}.Play(t)
}

// All rows of a table are deleted, the namespace's too, and put back.
func TestRowsPutBack(t *testing.T) {
	t.Parallel()
	engines.Needs(t, "mysql")
	s := engines.NewMySQL(t)
	db := s.Open(t)
	engines.PutBack{
		Store: func() lease.Store { return must(tablesOf(s.Open(t), sqlstore.Config{}).Leases("")) },
		Keep: func() (back func()) {
			engines.Do(t, db, "CREATE TABLE KEPT AS SELECT * FROM WORKER_LEASE")
			return func() { engines.Do(t, db, "REPLACE INTO WORKER_LEASE SELECT * FROM KEPT") }
		},
		Empty: func() { engines.Do(t, db, "DELETE FROM WORKER_LEASE") },
	}.Play(t)
}
