package engines_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/doctor/sqldoctor"
	"github.com/uidgen/uid/internal/numberstore"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// findings are those of a check, by what was looked at.
type findings map[string]doctor.Finding

// levels are those of a check that are not ok.
func (m findings) levels() map[string]doctor.Level {
	bad := map[string]doctor.Level{}
	for what, f := range m {
		if f.Level != doctor.LevelOK {
			bad[what] = f.Level
		}
	}
	return bad
}

type badness = map[string]doctor.Level

// checked returns what a check of a store finds, or waits until it finds it.
func checked(t *testing.T, store registry.Store, cfg doctor.Config) findings {
	t.Helper()
	cfg.Terms = func(text string) (uid.Terms, error) {
		l, err := bits.ParseLayout(text)
		return l.Terms(), err
	}
	cfg.Logger = slog.New(slog.DiscardHandler)
	all, err := doctor.Check(t.Context(), store, cfg)
	require.NoError(t, err)
	m := findings{}
	for _, f := range all {
		require.NotEmpty(t, f.Value, f.What)
		require.Equal(t, f.Level == doctor.LevelOK, f.Why == "" && f.Do == "", "%+v", f)
		m[f.What] = f
	}
	return m
}

// openSQL opens a database until the test ends.
func openSQL(t *testing.T, driver, source string) *sqlx.DB {
	t.Helper()
	db, err := sqlx.Open(driver, source)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func examinedSQL(t *testing.T, db *sqlx.DB) *sqldoctor.DB {
	t.Helper()
	tables, err := sqlstore.New(db, sqlstore.Config{})
	require.NoError(t, err)
	examined, err := sqldoctor.New(tables)
	require.NoError(t, err)
	return examined
}

// used has a lease acquired and given back in the store and, in tables, a disposable ID.
func used(t *testing.T, store registry.Store) {
	t.Helper()
	terms := bits.Default().Terms()
	terms.Revoke = func() {}
	leases, err := store.Namespace("shop")
	require.NoError(t, err)
	require.NoError(t, lease.Found(t.Context(), leases, lease.Founding{Layout: bits.Default()}))
	l, err := lease.New(leases, lease.Config{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	r, err := l.Acquire(t.Context(), terms)
	require.NoError(t, err)
	require.NoError(t, l.Release(t.Context(), r.First))
	if tables, is := store.(*sqldoctor.DB); is {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := tables.Numbers().Next(ctx, numberstore.Host{Name: "h"}, bits.Default().MaxWorkerID())
		require.NoError(t, err)
	}
}

// do executes statements.
func do(t *testing.T, db *sqlx.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		_, err := db.Exec(s)
		require.NoError(t, err, s)
	}
}
