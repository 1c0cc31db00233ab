package main

import (
	"github.com/uidgen/uid/test/crew"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/registry"
)

// failovers are what a Pair is for.
var failovers = fault{name: "failover with loss", few: 1, many: 10, unit: "failovers", loses: true}

// failover has a replica that lacks the last writes take its primary's place: IDs and ticks that
// were leased are unknown there, and leased again.
func failover(p *cluster.Pair) func(r *run, n int) int {
	whole := true // there is a replica
	return func(r *run, n int) (failovers int) {
		way := r.net.Near
		r.start(way, 4)
		for ; r.GoesOn(failovers, n); failovers++ {
			if !whole {
				r.Must(p.Rejoin())
			}
			r.Must(p.CatchUp())
			p.Lag(true)
			had := r.newest()
			r.start(way, 2)
			crew.Await(r, "all to renew their leases", func() bool { return r.renewed(had) >= len(r.Living()) })
			r.Must(p.Failover())
			whole = false
			r.d.Addrs[0] = p.Addr()
			r.admins = []registry.Store{r.connect(p.URL(p.Addr()))} // past the proxies
			if r.newest().After(had) {
				r.Fatalf("the new primary has what was written since it lags")
			}
			r.net.Near[0].Retarget(p.Addr())
			r.start(way, 2)
			r.AwaitAll()
			crew.Await(r, "all to have a lease there", func() bool { return r.renewed(had) >= len(r.Living()) })
			for _, p := range r.Living()[:4] {
				p.End()
			}
		}
		return failovers
	}
}
