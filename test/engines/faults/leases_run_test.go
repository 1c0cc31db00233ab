package faults

import (
	"context"
	"fmt"
	"maps"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker/lease"
)

// A leasing is a run of a fault, in a namespace of its own.
type leasing struct {
	*run
	*memory
	leasesJob
	began time.Time
}

// namespaces counts those that were made.
var namespaces atomic.Int64

func newLeasing(t testing.TB, d *engines.Deployment, timing timing, blind bool) *leasing {
	now := time.Now()
	g, err := harness.NewGeometry(layout, now.Add(-10*time.Second), now.Add(11*time.Minute+lease.Burn))
	require.NoError(t, err)
	m, err := openMemory(g, nil)
	require.NoError(t, err)
	t.Cleanup(m.Close) // after the processes have ended
	work := leasesJob{g.First, g.Ticks, fmt.Sprint("run", namespaces.Add(1)), timing, blind, false, 0}
	r := &leasing{newRun(t, d), m, work, time.Now()}
	r.launch = func(store string) *harness.Member {
		number := len(r.All)
		return r.Launch(job{Process: number, Store: store, Leases: &r.leasesJob}, m.File(), m.issued[number].Load)
	}
	r.run.mark = func() func() {
		before := r.newest()
		return func() { harness.Await(t, "the leases to be renewed", func() bool { return r.renewed(before) > 0 }) }
	}
	l, err := r.admins[0].Namespace(r.Namespace)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, lease.Found(ctx, l, lease.Founding{Layout: layout}))
	return r
}

// goesOn says whether to inject another fault after so many. Blind workers get them until
// they are found out: ten at least, of which each may take half a minute where a server's clients wait for its end.
func (r *leasing) goesOn(done, want int) bool {
	if !r.Blind {
		return done < want
	}
	if r.doubles() == 0 && done >= 10 && time.Since(r.began) > time.Minute {
		r.Fatalf("without reservations, no duplicate after %d faults; %v", done, r)
	}
	return r.doubles() == 0
}

// rows reads all rows.
func (r *leasing) rows() (p registry.Page) {
	r.ask(func(ctx context.Context, s engines.Store) (err error) {
		p, err = s.Rows(ctx, r.Namespace, -1, 1000)
		return err
	})
	return p
}

// newest returns when a row was written last.
func (r *leasing) newest() (at time.Time) {
	for _, row := range r.rows().Rows {
		if row.Renewed.After(at) {
			at = row.Renewed
		}
	}
	return at
}

// renewed returns how many rows were written after a time.
func (r *leasing) renewed(since time.Time) (n int) {
	for _, row := range r.rows().Rows {
		if row.Renewed.After(since) {
			n++
		}
	}
	return n
}

// free returns the IDs that may be taken over.
func (r *leasing) free() (ids map[int64]bool) {
	ids = map[int64]bool{}
	p := r.rows()
	for _, row := range p.Rows {
		if row.Until.Add(r.Lease.TTL + p.Clock.Error).Before(p.Clock.Now) {
			ids[row.WorkerID] = true
		}
	}
	return ids
}

// takeOver waits until the leases of processes are over, and starts as many others as it needs for
// them to take all these IDs over, and ends those that got others, which were free as well. An
// owner that is heard but hears nothing may lease its ID again before anybody else does.
func (r *leasing) takeOver(from []*harness.Member) (fresh []*harness.Member) {
	ids := map[int64]bool{}
	for _, p := range from {
		ids[r.idOf(p.Number)] = true
	}
	free := r.free()
	harness.Await(r, "the end of the leases", func() bool {
		free = r.free()
		for id := range ids {
			if !free[id] {
				return false
			}
		}
		return true
	})
	tried := 0
	for most := len(free) + 10; len(ids) > 0 && tried < most; tried++ {
		p := r.start(r.net.Near, 1)[0]
		p.Await(100)
		if id := r.idOf(p.Number); ids[id] {
			fresh = append(fresh, p)
			delete(ids, id)
		} else {
			p.End()
		}
		free = r.free()
		maps.DeleteFunc(ids, func(id int64, _ bool) bool { return !free[id] })
	}
	require.Empty(r, ids, "%d processes have not taken these IDs over", tried)
	return fresh
}

// finish ends all, and checks what they have drawn. Blind workers have to be found out.
func (r *leasing) finish(lost bool) {
	for _, p := range r.Living() {
		p.Close()
	}
	r.Logf("%v", r)
	require.Zero(r, r.failed.Load(), "calls that failed otherwise than for want of a reservation")
	require.Zero(r, r.Found(harness.Outside), "UIDs of no time that can be")
	if r.Blind {
		require.NotZero(r, r.doubles(), "without reservations this is to find duplicates")
		return
	}
	require.Empty(r, r.texts(), "duplicates, by the processes that got them")
	if lost {
		return
	}
	for _, row := range r.rows().Rows {
		require.LessOrEqual(r, r.Newest(row.WorkerID), row.High,
			"of worker ID %d a UID of a tick was drawn that was not reserved", row.WorkerID)
	}
}

func (r *leasing) drawn() (n int64) {
	for _, p := range r.All {
		n += r.issued[p.Number].Load()
	}
	return n
}

func (r *leasing) String() string {
	return fmt.Sprintf("%d processes drew %d UIDs; %d leases taken over, %d lost; "+
		"%d calls without a reservation, %d starts refused, %d duplicates",
		len(r.All), r.drawn(), r.takenOver(), r.lostBy(-1), r.noReservation.Load(), r.refused.Load(), r.doubles())
}
