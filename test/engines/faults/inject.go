package main

import (
	"slices"
	"time"

	"github.com/uidgen/uid/test/crew"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/proxy"
)

// A fault is something that happens to clients, servers or the network.
type fault struct {
	name      string
	few, many int // how often it is injected; many with -full
	unit      string
	// inject injects it n times, or until blind processes are found out, and returns how often.
	inject func(r *run, n int) int
	// applies says whether a deployment can have it; nil for all.
	applies func(*engines.Deployment) bool
	loses   bool // what a server has acknowledged
}

var faults = []fault{
	{name: "clients killed", few: 10, many: 120, unit: "kills", inject: killClients},
	{name: "clients paused", few: 4, many: 24, unit: "pauses", inject: pauseClients},
	{name: "servers killed", few: 3, many: 24, unit: "kills", inject: killServers, applies: (*engines.Deployment).Ours},
	{name: "servers paused", few: 1, many: 8, unit: "pauses", inject: pauseServers, applies: (*engines.Deployment).Ours},
	{name: "network cut", few: 4, many: 20, unit: "cuts", inject: cutNetwork},
}

// ends are the ways in which a process ends, in turn.
var ends = []func(*crew.Member){(*crew.Member).End, (*crew.Member).Close}

func killClients(r *run, n int) (kills int) {
	r.start(r.net.Near, 5)
	for r.GoesOn(min(kills, 2*r.TakenOver()), n) {
		r.Idle(60 * time.Millisecond)
		r.replace((*crew.Member).End)
		if kills++; kills%4 == 0 {
			r.replace((*crew.Member).Close)
		}
	}
	r.AwaitAll()
	return kills
}

// pauseClients has processes stand still until others have their IDs, and then go on as if
// nothing had happened.
func pauseClients(r *run, n int) (pauses int) {
	r.start(r.net.Near, 4)
	const together = 2
	for r.GoesOn(pauses, n) {
		r.Idle(50 * time.Millisecond)
		paused := r.Living()
		r.Rand.Shuffle(len(paused), func(i, j int) { paused[i], paused[j] = paused[j], paused[i] })
		paused = paused[:together]
		for _, p := range paused {
			p.Stop()
		}
		fresh := r.takeOver(paused)
		for _, p := range paused {
			before := r.LostBy(p.Number)
			p.Continue()
			crew.Await(r, "the paused process to notice", func() bool { return r.LostBy(p.Number) > before })
			p.AwaitUIDs(100)
		}
		for _, p := range fresh {
			p.End()
		}
		pauses += together
	}
	return pauses
}

// victims are the nodes that the round's fault is for.
func (r *run) victims(round int, all bool) []int {
	nodes, err := r.d.Victims(r.Rand, round, all)
	r.Must(err)
	return nodes
}

func killServers(r *run, n int) (kills int) {
	r.start(r.net.Near, 5)
	for round := 0; r.GoesOn(kills, n); round++ {
		r.Idle(100 * time.Millisecond)
		r.replace(ends[round%2])
		r.Idle(150 * time.Millisecond)
		before := r.newest()
		victims := r.victims(round, true)
		for _, i := range victims {
			r.d.Nodes[i].Kill()
		}
		kills += len(victims)
		if len(victims) < len(r.d.Nodes) { // the others go on
			i := victims[0]
			r.net.Avoid(i, true)
			r.home = (i + 1) % len(r.d.Nodes)
			r.awaitRenewed(before)
			r.Must(r.d.Nodes[i].Restart())
			r.net.Avoid(i, false)
		} else {
			r.Idle(50 * time.Millisecond)
			r.Must(r.d.Revive())
			r.awaitRenewed(before)
		}
	}
	r.AwaitAll()
	return kills
}

func (r *run) awaitRenewed(before time.Time) {
	crew.Await(r, "the leases to be renewed", func() bool { return r.renewed(before) > 0 })
}

// pauseServers has a server stand still for longer than leases last, and then go on as if
// nothing had happened.
func pauseServers(r *run, n int) (pauses int) {
	r.start(r.net.Near, 4)
	for ; r.GoesOn(pauses, n); pauses++ {
		before := r.newest()
		i := r.victims(pauses, false)[0]
		r.Must(r.d.Nodes[i].Pause())
		if len(r.d.Nodes) > 1 {
			r.net.Avoid(i, true)
			r.home = (i + 1) % len(r.d.Nodes)
			r.awaitRenewed(before)
			r.replace(ends[pauses%2])
			r.AwaitAll()
		}
		time.Sleep(r.Job.Lease.TTL + r.Job.Lease.Quarantine + r.Job.Lease.MaxClockSkew)
		r.Must(r.d.Nodes[i].Resume())
		r.net.Avoid(i, false)
		r.start(r.net.Near, 2)
		r.AwaitAll()
		for _, p := range r.Living()[:2] {
			p.End()
		}
	}
	return pauses
}

// cutNetwork cuts the far clients off from the servers, in one way after the other, while near
// ones take over what they lease.
func cutNetwork(r *run, n int) (cuts int) {
	r.start(r.net.Near, 2)
	type cut struct {
		begin, end func(node int)
		all        bool // the far clients reach no server that answers
		apart      bool // the node is isolated, and far clients know no other one
	}
	refuse := func(p *proxy.Proxy) { p.Refuse(true) }
	accept := func(p *proxy.Proxy) { p.Refuse(false) }
	kinds := []cut{
		{all: true, begin: func(int) { r.net.Far.Each(refuse) }, end: func(int) { r.net.Far.Each(accept) }},
		// One way: the servers do what they are asked to, and nobody hears of it.
		{all: true,
			begin: func(int) { r.net.Far.Each(func(p *proxy.Proxy) { p.Mute(true) }) },
			end:   func(int) { r.net.Far.Each(func(p *proxy.Proxy) { p.Mute(false) }) }},
	}
	if len(r.d.Nodes) > 1 && !r.d.Single {
		kinds = append(kinds,
			cut{begin: func(i int) { refuse(r.net.Far[i]) }, end: func(int) { r.net.Far.Each(accept) }},      // off one node
			cut{begin: func(i int) { r.net.Far.Each(refuse, i) }, end: func(int) { r.net.Far.Each(accept) }}) // off all but one
	}
	if r.d.Isolate != nil {
		kinds = append(kinds, cut{all: true, apart: true,
			begin: func(i int) { r.Must(r.d.Isolate(i, true)) },
			end:   func(i int) { r.Must(r.d.Isolate(i, false)) }})
	}
	for ; r.GoesOn(cuts, n); cuts++ {
		k := kinds[cuts%len(kinds)]
		node := r.victims(cuts, false)[0]
		var far []*crew.Member
		if k.apart {
			far = r.startAt(r.net.Far, node, 2)
			r.net.Near[node].Retarget(r.d.Addrs[(node+1)%len(r.d.Addrs)])
			r.home = (node + 1) % len(r.d.Addrs)
		} else {
			far = r.start(r.net.Far, 2)
		}
		k.begin(node)
		fresh := []*crew.Member{}
		if k.all {
			fresh = r.takeOver(far)
		} else {
			r.replace(ends[cuts%2])
			r.AwaitAll()
		}
		k.end(node)
		if k.apart {
			r.net.Near[node].Retarget(r.d.Addrs[node])
		}
		far = slices.DeleteFunc(far, func(p *crew.Member) bool { return p.HasEnded() }) // those that were replaced
		for _, p := range far {
			p.AwaitUIDs(100)
		}
		for _, p := range append(fresh, far...) {
			p.End()
		}
		for len(r.Living()) < 2 {
			r.start(r.net.Near, 1)
		}
	}
	r.AwaitAll()
	return cuts
}
