package engines

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker/sqlite"
)

// An Engine is a kind of server that there is a store for, or a kind of file.
type Engine struct {
	Name  string
	Start func() (*Deployment, error)
	// Pair starts two servers of which one may lack what the other has acknowledged; nil where
	// that cannot be. It returns ErrOthers where the servers are not ours.
	Pair func() (*cluster.Pair, error)
	// Optional says that stable Debian has no such server, so that it may be missing.
	Optional bool
}

// ErrOthers is the error of a fault of servers that are not ours.
var ErrOthers = errors.New("not our servers")

// The servers of the machine, and those of Debian sid.
var (
	Postgres = alone("postgres", cluster.StartPostgres, cluster.StartPostgresPair)
	MariaDB  = alone("mariadb", cluster.StartMariaDB, cluster.StartMariaDBPair)
	MySQL9   = optional(alone("mysql9", cluster.StartMySQL9, cluster.StartMySQL9Pair))

	Galera     = Engine{Name: "galera", Start: startGalera}         // three nodes of MariaDB
	Kubernetes = Engine{Name: "kubernetes", Start: startKubernetes} // two API servers over one etcd
	Etcd       = quorum("etcd", func() (*cluster.Quorum, error) { return cluster.StartEtcd("etcd", 3) })
	ZooKeeper  = quorum("zookeeper", func() (*cluster.Quorum, error) { return cluster.StartZooKeeper(3) })
	SQLite     = Engine{Name: "sqlite", Start: startSQLite} // a file, which has no server that could be killed
)

// Redis is the machine's Redis, with more options of cluster.StartRedis, and Valkey that of Debian sid.
func Redis(options ...string) Engine {
	return alone("redis", cluster.StartRedis, cluster.StartRedisPair, options...)
}

func Valkey(options ...string) Engine {
	return optional(alone("valkey", cluster.StartValkey, cluster.StartValkeyPair, options...))
}

func optional(e Engine) Engine {
	e.Optional = true
	return e
}

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

// alone is an engine of servers that are started alone, or with a replica.
func alone[S server](name string, start starter[S], pair starter[*cluster.Pair], options ...string) Engine {
	return Engine{
		Name: name, Start: Alone(start, name, options...),
		Pair: func() (*cluster.Pair, error) { return pair(name+" pair", options...) },
	}
}

// quorum is an engine of nodes that clients know all of.
func quorum(name string, start func() (*cluster.Quorum, error)) Engine {
	return Engine{Name: name, Start: func() (*Deployment, error) {
		q, err := start()
		if err != nil {
			return nil, err
		}
		d := &Deployment{
			URL:   func(addrs ...string) string { return name + "://" + strings.Join(addrs, ",") },
			Addrs: q.Addrs(), Version: q.Version, Close: q.Close,
			Leader: func() (int, error) { return q.Leader(), nil },
		}
		for _, s := range q.Nodes {
			d.Nodes = append(d.Nodes, s)
		}
		return d, nil
	}}
}

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
		d.Nodes, d.Addrs = append(d.Nodes, n), append(d.Addrs, n.Addr(0))
	}
	d.Output = func() (all string) {
		for _, n := range g.Nodes {
			lines := strings.Split(strings.TrimSpace(n.Output()), "\n")
			all += fmt.Sprintf("%s says:\n%s\n", n.Name(), strings.Join(lines[max(0, len(lines)-15):], "\n"))
		}
		return all
	}
	return d, nil
}

// startKubernetes has etcd as a third node, to which no client speaks.
func startKubernetes() (*Deployment, error) {
	k, err := cluster.StartKubernetes("kubernetes", 2)
	if err != nil {
		return nil, err
	}
	n, err := k.NewTenant(context.Background(), "")
	if err != nil {
		k.Close()
		return nil, err
	}
	return &Deployment{
		Nodes: []Node{k.Servers[0], k.Servers[1], k.Etcd.Nodes[0]}, Addrs: k.Servers.Addrs(), Single: true,
		URL:     func(addrs ...string) string { return n.URL(addrs[0]) + "&clockerror=" + clockError.String() },
		Version: k.Version, Close: k.Close,
	}, nil
}

func startSQLite() (*Deployment, error) {
	s, err := cluster.New("sqlite", 0) // a folder
	if err != nil {
		return nil, err
	}
	path := s.Path("uid.db")
	return &Deployment{
		URL:   func(...string) string { return (&url.URL{Scheme: "sqlite", Path: path}).String() },
		Close: s.Close,
		Version: func() (version string, err error) {
			db, err := sqlite.Open(context.Background(), path)
			if err != nil {
				return "", err
			}
			defer db.Close()
			err = db.Get(&version, "SELECT sqlite_version()")
			return version, err
		},
	}, nil
}

// A Deployment is the running servers of an engine.
type Deployment struct {
	Nodes   []Node   // of which clients can speak to the first ones; nil ones are not ours to kill
	Addrs   []string // of those nodes; none of a file
	URL     func(addrs ...string) string
	Version func() (string, error)
	Close   func()

	// Leader returns the number of the node that leads; nil where none does.
	Leader func() (int, error)
	// Isolate cuts a node off from the others, or joins it again; nil where that cannot be done.
	Isolate func(node int, isolated bool) error
	// Output returns the end of what the servers have said; nil where nobody asks.
	Output func() string
	// Single says that a client speaks to one address, and knows of no other.
	Single bool

	// revive starts all nodes again, which are down; nil if each does so by itself.
	revive func() error
}

// A Node is a server that can be killed and paused.
type Node interface {
	Kill()
	Restart() error
	Pause() error
	Resume() error
}

// One is the deployment of a server that is alone. A nil node is not ours to kill.
func One(n Node, addr string, at func(string) string, version func() (string, error), end func()) *Deployment {
	return &Deployment{
		Nodes: []Node{n}, Addrs: []string{addr}, URL: func(addrs ...string) string { return at(addrs[0]) },
		Version: version, Close: end, Single: true,
	}
}

// Ours reports whether there are servers that can be killed.
func (d *Deployment) Ours() bool { return len(d.Nodes) > 0 && d.Nodes[0] != nil }

// Victims are the nodes that a round's fault is for: the one that leads, any one, and with all
// every fourth time all of them.
func (d *Deployment) Victims(r *rand.Rand, round int, all bool) ([]int, error) {
	nodes := len(d.Nodes)
	switch {
	case nodes == 1:
		return []int{0}, nil
	case all && round%4 == 1:
		var every []int
		for i := range nodes {
			every = append(every, i)
		}
		return every, nil
	case round%2 == 0 && d.Leader != nil:
		i, err := d.Leader()
		return []int{i}, err
	}
	return []int{r.IntN(nodes)}, nil
}

// Revive starts all nodes again, which are down.
func (d *Deployment) Revive() error {
	if d.revive != nil {
		return d.revive()
	}
	all := make([]error, len(d.Nodes))
	var starts sync.WaitGroup
	for i, n := range d.Nodes {
		starts.Go(func() { all[i] = n.Restart() })
	}
	starts.Wait()
	return errors.Join(all...)
}

// A Network is two ways to a deployment's nodes: each has a proxy in front of each node. A
// deployment without addresses has ways of nothing.
type Network struct {
	d         *Deployment
	Near, Far Way
}

// A Way is the proxies in front of the nodes, by their number.
type Way []*harness.Proxy

// NewNetwork returns the ways to a deployment. All connections are cut for good when the test ends.
func NewNetwork(t testing.TB, d *Deployment) *Network {
	t.Helper()
	n := &Network{d: d}
	for _, addr := range d.Addrs {
		n.Near = append(n.Near, harness.NewProxy(t, addr))
		n.Far = append(n.Far, harness.NewProxy(t, addr))
	}
	return n
}

// Addrs returns the addresses on a way, with that of one node first; the node's number may be any.
func (w Way) Addrs(first int) (all []string) {
	for i := range w {
		all = append(all, w[(first+i)%len(w)].Addr())
	}
	return all
}

// Each does something to the proxies of all nodes but those that are excepted.
func (w Way) Each(do func(*harness.Proxy), except ...int) {
	for i, p := range w {
		if !slices.Contains(except, i) {
			do(p)
		}
	}
}
