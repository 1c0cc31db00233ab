package engines

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/uidgen/uid/test/engines/cluster"
)

// A server is one that is alone.
type server interface {
	Node
	Addr(port int) string
	URL(addr string) string
	Version() (string, error)
	Close()
}

// A starter starts what a name and options say.
type starter[S any] func(name string, options ...string) (S, error)

// Alone starts a server with a name and options, as a deployment of its own.
func Alone[S server](start starter[S], name string, options ...string) func() (*Deployment, error) {
	return func() (*Deployment, error) {
		s, err := start(name, options...)
		if err != nil {
			return nil, err
		}
		return One(s, s.Addr(0), s.URL, s.Version, s.Close), nil
	}
}

// engine is one of servers that are started alone, or with a replica.
func engine[S server](name string, start starter[S], pair starter[*cluster.Pair], options ...string) Engine {
	return Engine{
		Name: name, Start: Alone(start, name, options...),
		Pair: func() (*cluster.Pair, error) { return pair(name+" pair", options...) },
	}
}

// The machine's servers.
var (
	Postgres = engine("postgres", cluster.StartPostgres, cluster.StartPostgresPair)
	MariaDB  = engine("mariadb", cluster.StartMariaDB, cluster.StartMariaDBPair)
)

// Redis is the machine's Redis, with more options of cluster.StartRedis.
func Redis(options ...string) Engine {
	return engine("redis", cluster.StartRedis, cluster.StartRedisPair, options...)
}

// Valkey is Valkey of Debian sid, likewise.
func Valkey(options ...string) Engine {
	e := engine("valkey", cluster.StartValkey, cluster.StartValkeyPair, options...)
	e.Optional = true
	return e
}

// envMySQL9 is the environment variable with the DSN of a MySQL 9 server to test on. Its faults
// are those of clients and of the network.
const envMySQL9 = "UID_TEST_MYSQL9_DSN"

// MySQL9 is MySQL 9, of Debian sid or at the DSN in UID_TEST_MYSQL9_DSN.
var MySQL9 = Engine{Name: "mysql9", Start: startMySQL9, Pair: startMySQL9Pair, Optional: true}

func startMySQL9() (*Deployment, error) {
	dsn := os.Getenv(envMySQL9)
	if dsn == "" {
		return Alone(cluster.StartMySQL9, "mysql9")()
	}
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil || cfg.Net != "tcp" || cfg.DBName == "" {
		return nil, errors.New("the DSN in " + envMySQL9 + " is not one of a database over TCP")
	}
	at := func(addr string) string {
		u := url.URL{Scheme: "mysql", User: url.UserPassword(cfg.User, cfg.Passwd), Host: addr, Path: "/" + cfg.DBName}
		return u.String()
	}
	return One(nil, cfg.Addr, at, func() (string, error) { return "as in " + envMySQL9, nil }, func() {}), nil
}

func startMySQL9Pair() (*cluster.Pair, error) {
	if os.Getenv(envMySQL9) != "" {
		return nil, ErrOthers
	}
	return cluster.StartMySQL9Pair("mysql9 pair")
}

// Galera is a cluster of three MariaDB nodes.
var Galera = Engine{Name: "galera", Start: startGalera}

func startGalera() (*Deployment, error) {
	g, err := cluster.StartGalera("galera")
	if err != nil {
		return nil, err
	}
	d := &Deployment{
		URL:     func(addrs ...string) string { return g.Nodes[0].URL(addrs[0]) },
		Version: g.Version, Close: g.Close, revive: g.Bootstrap, Single: true,
		Isolate: func(i int, isolated bool) error { return g.Nodes[i].Isolate(isolated) },
	}
	for _, n := range g.Nodes {
		d.Nodes = append(d.Nodes, galeraNode{n, g})
		d.Addrs = append(d.Addrs, n.Addr(0))
	}
	d.Output = func() string {
		var all strings.Builder
		for _, n := range g.Nodes {
			fmt.Fprintf(&all, "%s says:\n%s\n", n.Name(), lastLines(n.Output(), 15))
		}
		return all.String()
	}
	return d, nil
}

// A galeraNode joins the others when it starts again.
type galeraNode struct {
	*cluster.GaleraNode
	all *cluster.Galera
}

func (n galeraNode) Restart() error { return n.Join() }

func (n galeraNode) Resume() error {
	if err := n.GaleraNode.Resume(); err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	return n.all.AwaitWhole()
}
