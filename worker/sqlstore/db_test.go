package sqlstore_test

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/worker/sqlstore"
)

func TestConfigIsChecked(t *testing.T) {
	for _, c := range []struct {
		cfg    sqlstore.Config
		driver string
		says   string
	}{
		{sqlstore.Config{}, "oracle", `"oracle"`},
		{sqlstore.Config{}, "", "Dialect"},
		{sqlstore.Config{Dialect: "oracle"}, "mysql", `"oracle"`},
		{sqlstore.Config{NodeTable: "x`; DROP TABLE y; --"}, "mysql", "table name"},
		{sqlstore.Config{NodeTable: "a b"}, "mysql", `"a b"`},
		{sqlstore.Config{NodeTable: "1a"}, "mysql", `"1a"`},
		{sqlstore.Config{LeaseTable: "a.b"}, "mysql", `"a.b"`},
		{sqlstore.Config{LeaseTable: "a\n"}, "mysql", "table name"},
		{sqlstore.Config{LeaseTable: strings.Repeat("a", 65)}, "mysql", "64"},
		{sqlstore.Config{LeaseTable: strings.Repeat("a", 64)}, "pgx", "63"},
	} {
		fake := &fakeDB{}
		d, err := sqlstore.New(fake.open(t, c.driver), c.cfg)
		logtest.Error(t, err, uid.ErrConfig, c.says)
		require.Nil(t, d)
		require.Zero(t, fake.calls("connect"))
	}
	for _, db := range []*sqlx.DB{nil, {}} {
		_, err := sqlstore.New(db, sqlstore.Config{})
		require.ErrorIs(t, err, uid.ErrConfig)
	}
	var none *sql.DB
	_, err := sqlstore.New(none, sqlstore.Config{})
	require.ErrorIs(t, err, uid.ErrConfig)
}

// traced is a database whose driver wraps another one.
type traced struct{ connector }

type tracingDriver struct{ driver.Driver }

func (traced) Driver() driver.Driver { return new(tracingDriver) }

// A sql.DB does not know its driver's name; the type of the driver tells its dialect.
func TestPlainDatabase(t *testing.T) {
	real, err := mysql.NewConnector(mysql.NewConfig())
	require.NoError(t, err)
	d, err := sqlstore.New(sql.OpenDB(real), sqlstore.Config{})
	require.NoError(t, err)
	require.Equal(t, "mysql", sqlstore.DialectOf(d))

	fake := &fakeDB{}
	for of, says := range map[driver.Connector]string{connector{fake}: "<nil>",
		traced{connector{fake}}: "*sqlstore_test.tracingDriver"} {
		_, err = sqlstore.New(sql.OpenDB(of), sqlstore.Config{})
		logtest.Error(t, err, uid.ErrConfig, says, "set Dialect")
	}
	d, err = sqlstore.New(sql.OpenDB(connector{fake}), sqlstore.Config{Dialect: "mysql", Skip: -1})
	require.NoError(t, err)
	require.Zero(t, fake.calls("connect"), "the constructor does not touch the database")
	_, err = d.Numbers().Next(t.Context(), withPort, 9)
	require.NoError(t, err)
}

func TestConfigIsTaken(t *testing.T) {
	for _, c := range []struct {
		cfg     sqlstore.Config
		driver  string
		dialect string
	}{
		{sqlstore.Config{}, "mysql", "mysql"},
		{sqlstore.Config{}, "sqlite", "sqlite"},
		{sqlstore.Config{}, "sqlite3", "sqlite"},
		{sqlstore.Config{LeaseTable: strings.Repeat("a", 63)}, "pgx", "postgres"},
		{sqlstore.Config{Dialect: "mysql"}, "traced-mysql", "mysql"},
		{sqlstore.Config{Dialect: "sqlite"}, "mysql", "sqlite"},
		{sqlstore.Config{NodeTable: strings.Repeat("a", 64), LeaseTable: "_a$1"}, "mysql", "mysql"},
	} {
		fake := &fakeDB{}
		c.cfg.Skip = -1
		d, err := sqlstore.New(fake.open(t, c.driver), c.cfg)
		require.NoError(t, err)
		require.Equal(t, c.dialect, sqlstore.DialectOf(d))
		require.Zero(t, fake.calls("connect"), "the constructor does not touch the database")
		_, err = d.Numbers().Next(t.Context(), withPort, 9)
		if c.dialect == "sqlite" {
			require.ErrorContains(t, err, "ask for the file", "the fake has none")
			continue
		}
		if c.dialect == "postgres" {
			require.ErrorContains(t, err, "begin", "the fake does not know its words for that")
			continue
		}
		require.NoError(t, err)
	}
	d, err := sqlstore.New((&fakeDB{}).open(t, "mysql"), sqlstore.Config{})
	require.NoError(t, err)
	require.Equal(t, "table WORKER_NODE", d.Numbers().Name())
}

func TestNamespaceNames(t *testing.T) {
	d := tables(t, &fakeDB{})
	for _, name := range []string{"a", "orders 2!", strings.Repeat("a", 64), `quote"'`} {
		l, err := d.Leases(name)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("namespace %q of table WORKER_LEASE", name), l.Name())
	}
	l, err := d.Leases("")
	require.NoError(t, err)
	require.Equal(t, `namespace "default" of table WORKER_LEASE`, l.Name())
	for name, is := range map[string]error{
		strings.Repeat("a", 65): uid.ErrRange, "bücher": uid.ErrConfig, " a": uid.ErrConfig, "a ": uid.ErrConfig,
		" ": uid.ErrConfig, "a\x00": uid.ErrConfig, "a\n": uid.ErrConfig, "a@b": uid.ErrConfig,
		"a~": uid.ErrConfig, "{}": uid.ErrConfig, "a\\b": uid.ErrConfig, "a\x7f": uid.ErrConfig,
	} {
		_, err := d.Leases(name)
		require.ErrorIs(t, err, is, "%q", name)
	}
}
