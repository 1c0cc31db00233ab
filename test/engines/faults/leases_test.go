package faults

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker/lease"
)

// A fault is something that happens to clients, servers or the network.
type fault struct {
	name      string
	few, full int // how often it is injected
	// inject injects it n times, or until blind processes are found out, and returns how often.
	inject  func(r *leasing, n int) int
	applies func(subject) bool
	loses   bool // what a server has acknowledged
}

func always(subject) bool       { return true }
func hasServers(s subject) bool { return s.d.Ours() }

// hasNetwork is false for a file: a process that stands still may have locked it.
func hasNetwork(s subject) bool { return len(s.d.Addrs) > 0 }

var faults = []fault{
	{name: "clients killed", few: 10, full: 120, inject: killClients, applies: always},
	{name: "tenants killed", few: 6, full: 40, inject: killTenants, applies: always},
	{name: "clients paused", few: 4, full: 24, inject: pauseClients, applies: hasNetwork},
	{name: "servers killed", few: 3, full: 24, inject: killServers, applies: hasServers},
	{name: "servers paused", few: 1, full: 8, inject: pauseServers, applies: hasServers},
	{name: "network cut", few: 4, full: 20, inject: cutNetwork, applies: hasNetwork},
}

// leasedFrom are the engines whose leases are tested.
var leasedFrom = []engines.Engine{
	engines.Postgres, engines.MariaDB, engines.MySQL9, engines.Galera, engines.Etcd, engines.ZooKeeper,
	engines.Redis(), engines.Valkey(), engines.SQLite,
}

func TestLeases(t *testing.T) {
	r := &results{planned: len(leasedFrom)}
	r.Header = table.Row{"engine"}
	for _, f := range faults {
		r.Header = append(r.Header, f.name)
	}
	r.Header = append(r.Header, "failover with loss")
	r.each(t, leasedFrom, func(t *testing.T, s subject) {
		row := []any{s.Name}
		for _, f := range faults {
			row = append(row, inject(t, s, f))
		}
		loss := none
		if s.Pair != nil {
			loss = ""
			t.Run("lossy", func(t *testing.T) { loss = failOver(t, s) })
		}
		if row = append(row, loss); !slices.Contains(row, any("")) {
			r.Add(s.rank, row...)
		}
	})
	r.publish(t, leasedFrom, "faults")
}

// none is the cell of a fault that an engine cannot have.
const none = "–"

// failOver injects failovers that lose writes.
func failOver(t *testing.T, s subject) (cell string) {
	lost, can := s.paired(t)
	if !can {
		return none
	}
	awaitHistory(t, s.d)
	return inject(t, s, fault{name: "failover with loss", few: 1, full: 10, loses: true, applies: always,
		inject: func(r *leasing, n int) int { return lost.from(r, n) }})
}

// awaitHistory waits until a server tells a history, as MySQL's do two seconds after their start: till then each start
// burns ticks, also one of those that compare no histories.
func awaitHistory(t *testing.T, d *engines.Deployment) {
	s, end, err := engines.Open(t.Context(), d.URL(d.Addrs...))
	require.NoError(t, err)
	defer end.Close()
	l, err := s.Namespace("young")
	require.NoError(t, err)
	require.NoError(t, lease.Found(t.Context(), l, lease.Founding{Layout: layout}))
	require.Eventually(t, func() bool {
		p, err := s.Rows(t.Context(), "young", -1, 1)
		return err == nil && p.Clock.History != ""
	}, 20*time.Second, 20*time.Millisecond)
}

// inject injects a fault, with processes as they should be and then with blind ones, or, where writes are lost,
// with some that do not see it. It returns the fault's cell, which is empty unless everything ran.
func inject(t *testing.T, s subject, f fault) (cell string) {
	if !f.applies(s) {
		return none
	}
	t.Run(f.name, func(t *testing.T) {
		var healthy string
		for _, blind := range []bool{false, true} {
			name := map[bool]string{false: "reserved", true: "blind"}[blind]
			if !t.Run(name, func(t *testing.T) {
				timing := brisk
				if f.loses {
					timing = lasting
				}
				l := newLeasing(t, s.d, timing, blind)
				l.Oblivious = blind && f.loses
				n := f.inject(l, many(f.few, f.full))
				l.finish(f.loses)
				if blind && healthy != "" {
					cell = fmt.Sprintf("%s, %d", healthy, l.doubles())
				} else if !blind {
					healthy = fmt.Sprintf("%d: %d/%d", n, l.doubles(), l.drawn())
				}
			}) {
				return
			}
		}
	})
	return cell
}

func killClients(r *leasing, n int) (kills int) {
	r.start(r.net.Near, 5)
	for r.goesOn(min(kills, 2*r.takenOver()), n) {
		r.Idle(60 * time.Millisecond)
		r.replace((*harness.Member).End)
		if kills++; kills%4 == 0 {
			r.replace((*harness.Member).Close)
		}
	}
	r.AwaitAll()
	return kills
}

// killTenants is killClients with processes that lease many IDs each.
func killTenants(r *leasing, n int) int {
	r.Many = 8
	return killClients(r, n)
}

// pauseClients has processes stand still until others have their IDs, and then go on as if
// nothing had happened.
func pauseClients(r *leasing, n int) (pauses int) {
	r.start(r.net.Near, 4)
	const together = 2
	for ; r.goesOn(pauses, n); pauses += together {
		r.Idle(50 * time.Millisecond)
		paused := r.Living()
		r.Rand.Shuffle(len(paused), func(i, j int) { paused[i], paused[j] = paused[j], paused[i] })
		paused = paused[:together]
		for _, p := range paused {
			p.Stop()
		}
		fresh := r.takeOver(paused)
		for _, p := range paused {
			before := r.lostBy(p.Number)
			p.Continue()
			harness.Await(r, "the paused process to notice", func() bool { return r.lostBy(p.Number) > before })
			p.Await(100)
		}
		for _, p := range fresh {
			p.End()
		}
	}
	return pauses
}

func killServers(r *leasing, n int) (kills int) {
	r.start(r.net.Near, 5)
	for round := 0; r.goesOn(kills, n); round++ {
		r.Idle(100 * time.Millisecond)
		r.replace(ends[round%2])
		r.Idle(150 * time.Millisecond)
		kills += r.outage(round)
	}
	r.AwaitAll()
	return kills
}

// pauseServers has a server stand still for longer than leases last, and then go on as if
// nothing had happened.
func pauseServers(r *leasing, n int) (pauses int) {
	r.start(r.net.Near, 4)
	for ; r.goesOn(pauses, n); pauses++ {
		await := r.mark()
		i := r.victims(pauses, false)[0]
		require.NoError(r, r.d.Nodes[i].Pause())
		if len(r.d.Nodes) > 1 {
			r.avoid(i, true)
			await()
			r.replace(ends[pauses%2])
			r.AwaitAll()
		}
		time.Sleep(2*r.Lease.TTL + r.Lease.MaxClockSkew)
		require.NoError(r, r.d.Nodes[i].Resume())
		r.avoid(i, false)
		r.start(r.net.Near, 2)
		r.AwaitAll()
		for _, p := range r.Living()[:2] {
			p.End()
		}
	}
	return pauses
}

// A cut of the network begins and ends.
type cut struct {
	set   func(node int, cut bool)
	all   bool // the far clients reach no server that answers
	apart bool // the node is isolated, and far clients know no other one
}

// cuts are those that a deployment can have.
func (r *leasing) cuts() []cut {
	refuse := func(cut bool) func(*harness.Proxy) { return func(p *harness.Proxy) { p.Refuse(cut) } }
	kinds := []cut{
		{all: true, set: func(_ int, cut bool) { r.net.Far.Each(refuse(cut)) }},
		// One way: the servers do what they are asked to, and nobody hears of it.
		{all: true, set: func(_ int, cut bool) { r.net.Far.Each(func(p *harness.Proxy) { p.Mute(cut) }) }},
	}
	if len(r.d.Nodes) > 1 && !r.d.Single {
		kinds = append(kinds,
			cut{set: func(i int, cut bool) { refuse(cut)(r.net.Far[i]) }},      // off one node
			cut{set: func(i int, cut bool) { r.net.Far.Each(refuse(cut), i) }}) // off all but one
	}
	if r.d.Isolate != nil {
		isolate := func(i int, cut bool) { require.NoError(r, r.d.Isolate(i, cut)) }
		kinds = append(kinds, cut{all: true, apart: true, set: isolate})
	}
	return kinds
}

// cutNetwork cuts the far clients off from the servers, in one way after the other, while near
// ones take over what they lease.
func cutNetwork(r *leasing, n int) (cuts int) {
	r.start(r.net.Near, 2)
	kinds := r.cuts()
	for ; r.goesOn(cuts, n); cuts++ {
		k, node := kinds[cuts%len(kinds)], r.victims(cuts, false)[0]
		var far, fresh []*harness.Member
		if k.apart {
			far = r.startEach(2, func() string { return r.d.URL(r.net.Far[node].Addr()) })
			r.home = (node + 1) % len(r.d.Addrs)
			r.net.Near[node].Retarget(r.d.Addrs[r.home])
		} else {
			far = r.start(r.net.Far, 2)
		}
		k.set(node, true)
		if k.all {
			fresh = r.takeOver(far)
		} else {
			r.replace(ends[cuts%2])
			r.AwaitAll()
		}
		k.set(node, false)
		if k.apart {
			r.net.Near[node].Retarget(r.d.Addrs[node])
		}
		far = slices.DeleteFunc(far, func(p *harness.Member) bool { return p.HasEnded() }) // those that were replaced
		for _, p := range far {
			p.Await(100)
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

// from injects losses: IDs and ticks that were leased are unknown, and leased again. Every other time their owners are
// killed before they can lease them again themselves.
func (l loss) from(r *leasing, n int) (losses int) {
	r.start(r.net.Near, 4)
	for ; r.goesOn(losses, n); losses++ {
		l.mark(r.run)
		had := r.newest()
		unknown := r.start(r.net.Near, 2)
		all := func() bool { return r.renewed(had) >= len(r.Living()) }
		harness.Await(r, "all to renew their leases", all)
		r.net.Near[0].Refuse(true) // nobody renews there before it was looked at
		l.lose(r.run)
		require.False(r, r.newest().After(had), "the new primary has what was written since it lags")
		if losses%2 == 0 {
			for _, p := range unknown {
				p.End()
			}
		}
		r.net.Near[0].Refuse(false)
		r.start(r.net.Near, 2)
		r.AwaitAll()
		harness.Await(r, "all to have a lease there", all)
		for _, p := range r.Living()[:len(r.Living())-4] {
			p.End()
		}
	}
	return losses
}
