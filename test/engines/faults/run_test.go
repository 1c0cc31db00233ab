package faults

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/harness"
)

// A run is processes that draw from a deployment, by two ways of proxies.
type run struct {
	testing.TB
	*harness.Members
	d      *engines.Deployment
	net    *engines.Network
	home   int             // the node to ask
	admins []engines.Store // past the proxies, by the node that each asks first

	launch func(store string) *harness.Member
	// mark returns what waits until the processes have written to the store once more.
	mark func() (await func())
}

func newRun(t testing.TB, d *engines.Deployment) *run {
	r := &run{TB: t, Members: harness.NewMembers(t), d: d, net: engines.NewNetwork(t, d)}
	r.visit()
	return r
}

// visit opens the store for the admins.
func (r *run) visit() {
	r.admins = nil
	for i := range max(1, len(r.d.Addrs)) {
		addrs := append(r.d.Addrs[i:len(r.d.Addrs):len(r.d.Addrs)], r.d.Addrs[:i]...)
		s, c, err := engines.Open(context.Background(), r.d.URL(addrs...))
		require.NoError(r, err)
		r.Cleanup(func() { c.Close() })
		r.admins = append(r.admins, s)
	}
}

// ask tries something at the home node until it succeeds.
func (r *run) ask(try func(context.Context, engines.Store) error) {
	r.Helper()
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		err := try(ctx, r.admins[r.home])
		cancel()
		if err == nil {
			return
		}
		if time.Since(began) > time.Minute {
			r.Fatalf("node %d does not answer: %v", r.home, err)
		}
	}
}

// start starts processes on a way, which each ask another node first, and waits until they have drawn.
func (r *run) start(w engines.Way, n int) []*harness.Member {
	return r.startEach(n, func() string { return r.d.URL(w.Addrs(len(r.All))...) })
}

func (r *run) startEach(n int, url func() string) (ps []*harness.Member) {
	for range n {
		ps = append(ps, r.launch(url()))
	}
	for _, p := range ps {
		p.Await(1)
	}
	return ps
}

// replace has an end come to a process that draws, and starts another one on the near way.
func (r *run) replace(end func(*harness.Member)) {
	end(r.Any())
	r.launch(r.d.URL(r.net.Near.Addrs(len(r.All))...))
}

// ends are the ways in which a process ends, in turn.
var ends = []func(*harness.Member){(*harness.Member).End, (*harness.Member).Close}

// victims are the nodes that the round's fault is for.
func (r *run) victims(round int, all bool) []int {
	nodes, err := r.d.Victims(r.Rand, round, all)
	require.NoError(r, err)
	return nodes
}

// avoid leads clients past a node that is down, or back.
func (r *run) avoid(node int, avoided bool) {
	r.net.Avoid(node, avoided)
	if avoided {
		r.home = (node + 1) % len(r.d.Nodes)
	}
}

// outage kills some nodes, or all of them, and starts them again, and returns how many.
func (r *run) outage(round int) int {
	await := r.mark()
	victims := r.victims(round, true)
	for _, i := range victims {
		r.d.Nodes[i].Kill()
	}
	if i := victims[0]; len(victims) < len(r.d.Nodes) { // the others go on
		r.avoid(i, true)
		await()
		require.NoError(r, r.d.Nodes[i].Restart())
		r.avoid(i, false)
	} else {
		r.Idle(100 * time.Millisecond)
		require.NoError(r, r.d.Revive())
		await()
	}
	return len(victims)
}

// A loss has a store forget what it has acknowledged.
type loss struct {
	mark func(*run) // what is written from now on is lost
	lose func(*run)
}

// paired has the subject be a pair, of which one lacks what the other has acknowledged, if there can be one.
func (s *subject) paired(t testing.TB) (l loss, can bool) {
	if s.Pair == nil {
		return l, false
	}
	p, err := s.Pair()
	if errors.Is(err, engines.ErrOthers) {
		return l, false
	}
	require.NoError(t, err)
	t.Cleanup(p.Close)
	s.d = engines.One(nil, p.Addr(), p.URL, p.Version, nil)
	return failover(p), true
}

// failover has a replica that lacks the last writes take its primary's place.
func failover(p *cluster.Pair) loss {
	whole := true // there is a replica
	return loss{
		mark: func(r *run) {
			if !whole {
				require.NoError(r, p.Rejoin())
			}
			require.NoError(r, p.CatchUp())
			p.Lag(true)
		},
		lose: func(r *run) {
			require.NoError(r, p.Failover())
			whole = false
			r.d.Addrs[0] = p.Addr()
			r.visit()
			r.net.Near[0].Retarget(p.Addr())
		},
	}
}
