package fleetsize

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/lease"
)

// A place says where leases are.
type place struct {
	Kind  string
	Where string // what the kind's client takes
}

// openers open the leases of a namespace, by kind.
var openers = map[string]func(ctx context.Context, where, namespace string) (lease.Store, io.Closer, error){
	"mysql":    openMySQL,
	"postgres": openPostgres,
	"etcd":     openEtcd,
}

// engines start the servers, one after another.
var engines = []struct {
	name  string
	start func(t *testing.T) *server
}{{"mariadb", mariaDB}, {"postgres", postgres}, {"etcd", etcdCluster}}

func (p place) open(ctx context.Context, namespace string) (lease.Store, io.Closer, error) {
	open := openers[p.Kind]
	if open == nil {
		return nil, nil, fmt.Errorf("fleetsize: no kind %q of stores", p.Kind)
	}
	return open(ctx, p.Where, namespace)
}

// A server is what the fleet leases from, of one or more nodes.
type server struct {
	name    string // and version
	nodes   []*cluster.Server
	addrs   []string                     // where clients connect
	place   func(addrs []string) place   // the same at other addresses
	counted func(t testing.TB) (n int64) // statements, or requests, so far
}

// cpu returns the processor time of all nodes so far.
func (s *server) cpu(t testing.TB) (sum time.Duration) {
	t.Helper()
	for _, n := range s.nodes {
		d, err := n.CPU()
		require.NoError(t, err)
		sum += d
	}
	return sum
}
