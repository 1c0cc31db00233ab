package fleetsize

import (
	"bufio"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines/cluster"
)

// A server is what the fleet leases from, of one or more nodes.
type server struct {
	name    string // and version
	nodes   []*cluster.Server
	addrs   []string                     // where clients connect
	url     func(addrs []string) string  // of the store at these addresses
	counted func(t testing.TB) (n int64) // statements, or requests, so far
}

// kinds start the servers, one after another.
var kinds = []struct {
	name  string
	start func(t *testing.T) *server
}{{"mariadb", mariaDB}, {"postgres", postgres}, {"etcd", etcdCluster}}

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

func mariaDB(t *testing.T) *server {
	m, err := cluster.StartMariaDB("mariadb", "--innodb-buffer-pool-size=64M", "--max-connections=1000")
	cluster.For(t, m, err)
	version, err := m.Version()
	require.NoError(t, err)
	return &server{
		name: "MariaDB " + version, nodes: []*cluster.Server{m.Server}, addrs: []string{m.Addr(0)},
		url: func(addrs []string) string { return m.URL(addrs[0]) },
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

func postgres(t *testing.T) *server {
	p, err := cluster.StartPostgres("postgres", "shared_preload_libraries=pg_stat_statements", "max_connections=1000")
	cluster.For(t, p, err)
	version, err := p.Version()
	require.NoError(t, err)
	db, err := sqlx.Connect("pgx", p.URL(p.Addr(0)))
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() }) // before the server ends
	_, err = db.Exec("CREATE EXTENSION pg_stat_statements")
	require.NoError(t, err)
	return &server{
		name: "PostgreSQL " + version, nodes: []*cluster.Server{p.Server}, addrs: []string{p.Addr(0)},
		url: func(addrs []string) string { return p.URL(addrs[0]) },
		counted: func(t testing.TB) (n int64) {
			require.NoError(t, db.Get(&n, "SELECT sum(calls) FROM pg_stat_statements"))
			return n
		},
	}
}

func etcdCluster(t *testing.T) *server {
	c, err := cluster.StartEtcd("etcd", 3)
	cluster.For(t, c, err)
	return &server{
		name: "etcd, 3 nodes", nodes: c.Nodes, addrs: c.Endpoints(),
		url: func(addrs []string) string { return "etcd://" + strings.Join(addrs, ",") },
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
