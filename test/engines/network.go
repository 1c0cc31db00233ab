package engines

import (
	"slices"
	"testing"

	"github.com/uidgen/uid/test/harness"
)

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

// Avoid leads clients that know one address past a node that is down, as a balancer would; with
// false it leads them back.
func (n *Network) Avoid(node int, avoided bool) {
	if !n.d.Single || len(n.d.Addrs) == 1 {
		return
	}
	to := node
	if avoided {
		to = (node + 1) % len(n.d.Addrs)
	}
	for _, w := range []Way{n.Near, n.Far} {
		w[node].Retarget(n.d.Addrs[to])
	}
}

// Each does something to the proxies of all nodes but those that are excepted.
func (w Way) Each(do func(*harness.Proxy), except ...int) {
	for i, p := range w {
		if !slices.Contains(except, i) {
			do(p)
		}
	}
}
