package engines

import (
	"errors"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/uidgen/uid/test/engines/cluster"
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

// A Deployment is the running servers of an engine.
type Deployment struct {
	Nodes   []Node   // that clients can speak to; nil ones are not ours to kill
	Addrs   []string // of the nodes; none of a file
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

// several is a deployment of nodes that clients know all of.
func several(scheme string, servers []*cluster.Server) *Deployment {
	d := &Deployment{URL: func(addrs ...string) string { return scheme + "://" + strings.Join(addrs, ",") }}
	for _, s := range servers {
		d.Nodes, d.Addrs = append(d.Nodes, s), append(d.Addrs, s.Addr(0))
	}
	return d
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

// lastLines returns the end of a text.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
