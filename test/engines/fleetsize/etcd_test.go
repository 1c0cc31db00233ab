package fleetsize

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/uidgen/uid/stores/etcd"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/lease"
)

func etcdCluster(t *testing.T) *server {
	c, err := cluster.StartEtcd("etcd", 3)
	cluster.For(t, c, err)
	return &server{
		name: "etcd, 3 nodes", nodes: c.Nodes, addrs: c.Endpoints(),
		place: func(addrs []string) place { return place{"etcd", strings.Join(addrs, ",")} },
		counted: func(t testing.TB) (n int64) {
			for _, node := range c.Nodes {
				n += requests(t, "http://"+node.Addr(2)+"/metrics")
			}
			return n
		},
	}
}

// requests returns how many of the clients' requests a node has answered.
func requests(t testing.TB, url string) (n int64) {
	t.Helper()
	answer, err := http.Get(url)
	require.NoError(t, err)
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "grpc_server_handled_total{") && strings.Contains(line, `"etcdserverpb.KV"`) {
			value, err := strconv.ParseFloat(line[strings.LastIndexByte(line, ' ')+1:], 64)
			require.NoError(t, err)
			n += int64(value)
		}
	}
	return n
}

func openEtcd(_ context.Context, where, namespace string) (lease.Store, io.Closer, error) {
	client, err := clientv3.New(clientv3.Config{Endpoints: strings.Split(where, ","), Logger: zap.NewNop()})
	if err != nil {
		return nil, nil, err
	}
	store, err := etcd.New(client, etcd.Config{})
	if err != nil {
		return nil, nil, err
	}
	leases, err := store.Leases(namespace)
	return leases, client, err
}
