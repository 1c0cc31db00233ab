package main

import (
	"context"
	"slices"
	"time"

	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/test/crew"
	"github.com/uidgen/uid/test/engines/cluster"
)

// A loss has a store forget what it has acknowledged.
type loss struct {
	unit string
	mark func(r *run) // what is taken from now on is lost
	lose func(r *run)
}

// A lossVerdict is what came of losses.
type lossVerdict struct {
	losses  int
	lost    int    // generators whose numbers were lost, and that noticed
	kept    int    // generators that went on
	doubles uint64 // numbers that came twice until then
}

// failover has a replica that lacks the last writes take its primary's place.
func failover(p *cluster.Pair) loss {
	whole := true // there is a replica
	return loss{
		unit: "failovers",
		mark: func(r *run) {
			if !whole {
				r.Must(p.Rejoin())
			}
			r.Must(p.CatchUp())
			p.Lag(true)
		},
		lose: func(r *run) {
			r.Must(p.Failover())
			whole = false
			r.d.Addrs[0] = p.Addr()
			r.visit(p.URL(p.Addr())) // past the proxies
			r.net.Near[0].Retarget(p.Addr())
		},
	}
}

// restore has the row become what it was.
func restore() loss {
	var was segment.Row
	return loss{
		unit: "restored rows",
		mark: func(r *run) { was = r.row() },
		lose: func(r *run) {
			r.asAdmin(func(ctx context.Context) error {
				return r.admin.Change(ctx, r.job.Tag, func(now *segment.Row) error {
					updated := now.Updated
					*now = was
					now.Takers, now.Updated = slices.Clone(was.Takers), updated
					return nil
				})
			})
		},
	}
}

// forget has the store lose what some processes have taken, and not what others have, and sees that the
// former notice when they next take numbers, and the latter go on.
func (r *run) forget(l loss, rounds int) (v lossVerdict) {
	r.job.MinStep, r.job.MaxStep, r.job.Chunk = 200, 2000, 50
	r.pause.Store(int64(2 * time.Millisecond))
	for ; v.losses < rounds; v.losses++ {
		r.start(6)
		r.awaitTakes(r.Living())
		r.freeze(r.Living())
		l.mark(r)
		draw := r.Living()[2:]
		for _, p := range draw {
			p.Continue()
		}
		r.awaitTakes(draw)
		r.freeze(draw)
		l.lose(r)

		row := r.row()
		had := map[*crew.Member]int64{}
		var lost, kept []*crew.Member
		for _, p := range r.Living() {
			at := r.progress(p)
			had[p] = at.takes.Load()
			if slices.ContainsFunc(row.Takers, func(t segment.Taker) bool { return t.Last == at.ledger.newest() }) {
				kept = append(kept, p)
			} else {
				lost = append(lost, p)
			}
			p.Continue()
		}
		if len(lost) == 0 || len(kept) == 0 {
			r.Fatalf("of %d processes the store has lost what %d took, and kept what %d took", len(r.Living()), len(lost), len(kept))
		}
		crew.Await(r, "those whose numbers were lost to notice", func() bool {
			return !slices.ContainsFunc(lost, func(p *crew.Member) bool { return r.progress(p).lost.Load() == 0 })
		})
		r.awaitTakes(kept)
		for _, p := range r.start(2) {
			p.AwaitUIDs(1)
		}
		for _, p := range lost {
			if n := r.progress(p).takes.Load() - had[p]; n > 0 {
				r.Fatalf("process %d took numbers %d times before it noticed that the store had lost some", p.Number, n)
			}
		}
		for _, p := range r.Living() {
			at := r.progress(p)
			if n := at.revived.Load(); n > 0 {
				r.Fatalf("process %d issued numbers in %d calls after it had noticed", p.Number, n)
			}
			if at.failed.Load() > 0 {
				r.Fatalf("process %d had calls that failed otherwise:\n%s", p.Number, p.Log())
			}
			if at.lost.Load() > 0 && !slices.Contains(lost, p) {
				r.Fatalf("process %d says that numbers were lost, but they were not:\n%s", p.Number, p.Log())
			}
		}
		v.lost += len(lost)
		v.kept += len(kept)
		r.closeAll()
	}
	v.doubles = r.Doubles()
	return v
}

// awaitTakes waits until each of some processes has taken numbers once more.
func (r *run) awaitTakes(ps []*crew.Member) {
	for _, p := range ps {
		at := r.progress(p)
		before := at.takes.Load()
		crew.Await(r, "a process to take numbers", func() bool { return at.takes.Load() > before })
	}
}

// freeze stops processes, none of which is just taking numbers, nor knows of takes whose outcome is
// open.
func (r *run) freeze(ps []*crew.Member) {
	for _, p := range ps {
		crew.Await(r, "a process to leave the store alone", func() bool {
			p.Stop()
			if at := r.progress(p); at.calls.Load() == 0 && len(at.all(isOpen)) == 0 {
				return true
			}
			p.Continue()
			time.Sleep(time.Millisecond)
			return false
		})
	}
}
