package engines

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/uidgen/uid/test/engines/cluster"
)

// MariaDB is the machine's MariaDB.
var MariaDB = Engine{
	Name: "mariadb",
	Start: func() (*Deployment, error) {
		m, err := cluster.StartMariaDB("mariadb")
		if err != nil {
			return nil, err
		}
		return One(m, m.Addr(0), m.URL, m.Version, m.Close), nil
	},
	Pair: func() (*cluster.Pair, error) { return cluster.StartMariaDBPair("mariadb pair") },
}

// envMySQL9 is the environment variable with the DSN of a MySQL 9 server to test on. Its faults
// are those of clients and of the network.
const envMySQL9 = "UID_TEST_MYSQL9_DSN"

// MySQL9 is MySQL 9, of Debian sid or at the DSN in UID_TEST_MYSQL9_DSN.
var MySQL9 = Engine{Name: "mysql9", Start: startMySQL9, Pair: startMySQL9Pair, Optional: true}

func startMySQL9() (*Deployment, error) {
	if dsn := os.Getenv(envMySQL9); dsn != "" {
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
	m, err := cluster.StartMySQL9("mysql9")
	if err != nil {
		return nil, err
	}
	return One(m, m.Addr(0), m.URL, m.Version, m.Close), nil
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
		d.Nodes = append(d.Nodes, galeraNode{n})
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
type galeraNode struct{ *cluster.GaleraNode }

func (n galeraNode) Restart() error { return n.Join() }

func (n galeraNode) Resume() error {
	if err := n.GaleraNode.Resume(); err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	return n.AwaitPrimary(true)
}

func openMySQL(_ context.Context, u *url.URL) (Store, io.Closer, error) {
	cfg := mysql.NewConfig()
	cfg.Net, cfg.Addr, cfg.User, cfg.DBName = "tcp", u.Host, u.User.Username(), strings.TrimPrefix(u.Path, "/")
	cfg.Passwd, _ = u.User.Password()
	cfg.Timeout = time.Second
	db, err := cluster.Connect(cfg.FormatDSN(), cluster.Quiet)
	if err != nil {
		return Store{}, nil, err
	}
	return openTables(db)
}
