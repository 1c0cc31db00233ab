package sqlstore_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A fakeNode is a node of a Galera cluster that never gets the commits of the others: a statement that waits for them
// fails, and others find nothing.
type fakeNode struct {
	steps
	waited int
}

func (f *fakeNode) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	return fakeResult{}, nil
}

func (f *fakeNode) QueryContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Rows, error) {
	switch {
	case strings.HasPrefix(query, "SHOW VARIABLES"):
		return answer([]driver.Value{"wsrep_on", "ON"}), nil
	case strings.Contains(query, "wsrep_sync_wait=1 FOR */ SELECT "):
		f.waited++
		return nil, errors.New("the cluster does not answer")
	case !strings.Contains(query, " FROM `"):
		return answer([]driver.Value{time.Now().UnixMicro()}), nil // the clock
	}
	return answer(), nil
}

// A registry shows the commits of all nodes.
func TestRegistryWaitsForTheCluster(t *testing.T) {
	for name, call := range map[string]func(registry.Store) error{
		"names": func(s registry.Store) error { _, _, err := s.Namespaces(t.Context()); return err },
		"rows":  func(s registry.Store) error { _, err := s.Rows(t.Context(), "orders", -1, 10); return err },
	} {
		t.Run(name, func(t *testing.T) {
			node := &fakeNode{}
			d, err := sqlstore.New(opened(t, node, "mysql"), sqlstore.Config{Logger: quiet})
			require.NoError(t, err)
			require.Error(t, call(d.Registry()))
			require.Equal(t, 1, node.waited)
		})
	}
}
