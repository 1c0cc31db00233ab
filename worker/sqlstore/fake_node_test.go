package sqlstore_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/worker/registry"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A fakeNode is a node of a Galera cluster that never gets what the others have committed: a
// statement that waits for it fails, and others find nothing.
type fakeNode struct{ waited int }

func (f *fakeNode) Connect(context.Context) (driver.Conn, error) { return f, nil }
func (f *fakeNode) Driver() driver.Driver                        { return nil }
func (f *fakeNode) Prepare(string) (driver.Stmt, error)          { return nil, errors.New("not needed") }
func (f *fakeNode) Begin() (driver.Tx, error)                    { return nil, errors.New("not needed") }
func (f *fakeNode) Close() error                                 { return nil }

func (f *fakeNode) wait(query string) error {
	if strings.Contains(query, "wsrep_sync_wait=1 FOR */ SELECT ") {
		f.waited++
		return errors.New("the cluster does not answer")
	}
	return nil
}

func (f *fakeNode) ExecContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Result, error) {
	return fakeResult{}, f.wait(query)
}

func (f *fakeNode) QueryContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Rows, error) {
	switch {
	case strings.HasPrefix(query, "SHOW VARIABLES"):
		return &fakeAnswer{row: []driver.Value{"wsrep_on", "ON"}}, nil
	case strings.HasPrefix(query, "SELECT") && !strings.Contains(query, " FROM `"):
		return &fakeAnswer{row: []driver.Value{time.Now().UnixMicro()}}, nil // the clock
	}
	return &fakeAnswer{}, f.wait(query)
}

// A fakeAnswer has one row, or none.
type fakeAnswer struct{ row []driver.Value }

func (a *fakeAnswer) Columns() []string { return make([]string, len(a.row)) }
func (a *fakeAnswer) Close() error      { return nil }
func (a *fakeAnswer) Next(into []driver.Value) error {
	if len(a.row) == 0 {
		return io.EOF
	}
	copy(into, a.row)
	a.row = nil
	return nil
}

// What a registry shows has to be what all nodes have committed.
func TestRegistryWaitsForTheCluster(t *testing.T) {
	for name, call := range map[string]func(registry.Store) error{
		"names": func(s registry.Store) error { _, _, err := s.Namespaces(t.Context()); return err },
		"rows":  func(s registry.Store) error { _, err := s.Rows(t.Context(), "orders", -1, 10); return err },
	} {
		t.Run(name, func(t *testing.T) {
			node := &fakeNode{}
			db := sqlx.NewDb(sql.OpenDB(node), "mysql")
			t.Cleanup(func() { db.Close() })
			d, err := sqlstore.New(db, sqlstore.Config{Logger: quiet})
			require.NoError(t, err)
			require.Error(t, call(d))
			require.Equal(t, 1, node.waited)
		})
	}
}
