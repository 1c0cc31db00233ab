package main

import (
	"context"
	"fmt"
	"maps"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid/test/crew"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"
)

// A run is one run of a fault, in a namespace of its own.
type run struct {
	*crew.Crew
	*engines.Trial
	d         *engines.Deployment
	net       *engines.Network
	namespace string
	admins    []registry.Store // by the node that each asks first
	home      int              // the node to ask
}

// namespaces counts those that were made.
var namespaces atomic.Int64

func newRun(t *engines.Trial, d *engines.Deployment, timing crew.Timing, blind bool) *run {
	r := &run{Trial: t, d: d, namespace: fmt.Sprintf("run%d", namespaces.Add(1))}
	var err error
	r.net, err = engines.NewNetwork(d)
	t.Must(err)
	t.Cleanup(r.net.Close)
	for i := range d.Addrs {
		r.admins = append(r.admins, r.connect(d.URL(append(d.Addrs[i:len(d.Addrs):len(d.Addrs)], d.Addrs[:i]...)...)))
	}
	r.found()
	r.Crew = crew.New(t, crew.Job{Lease: timing, Blind: blind})
	return r
}

// connect opens a store until the run ends.
func (r *run) connect(url string) registry.Store {
	s, c, err := engines.Open(context.Background(), url)
	r.Must(err)
	r.Cleanup(func() { c.Close() })
	return s
}

// found makes the namespace.
func (r *run) found() {
	l, err := r.admins[r.home].Namespace(r.namespace)
	r.Must(err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r.Must(lease.Found(ctx, l, lease.Founding{Terms: crew.Layout.Terms()}))
}

// start starts processes on a way, which each ask another node first, and waits until they have
// drawn UIDs.
func (r *run) start(w engines.Way, n int) (ps []*crew.Member) {
	for range n {
		r.Job.Store = r.place(w, len(r.All))
		ps = append(ps, r.Start())
	}
	for _, p := range ps {
		p.AwaitUIDs(1)
	}
	return ps
}

// startAt starts processes that know one node only.
func (r *run) startAt(w engines.Way, node, n int) (ps []*crew.Member) {
	r.Job.Store = place{r.d.URL(w[node].Addr()), r.namespace}.text()
	return r.StartAll(n)
}

func (r *run) place(w engines.Way, first int) string {
	return place{r.d.URL(w.Addrs(first)...), r.namespace}.text()
}

// replace has an end come to a process, and starts another one on the near way.
func (r *run) replace(end func(*crew.Member)) {
	r.Job.Store = r.place(r.net.Near, len(r.All))
	r.Replace(end)
}

// page reads all rows.
func (r *run) page() registry.Page {
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		p, err := r.admins[r.home].Rows(ctx, r.namespace, -1, 1000)
		cancel()
		if err == nil {
			return p
		}
		if time.Since(began) > time.Minute {
			r.Fatalf("node %d does not give its rows: %v", r.home, err)
		}
	}
}

// newest returns when a row was written last.
func (r *run) newest() (at time.Time) {
	for _, row := range r.page().Rows {
		if row.Renewed.After(at) {
			at = row.Renewed
		}
	}
	return at
}

// renewed returns how many rows were written after a time.
func (r *run) renewed(since time.Time) (n int) {
	for _, row := range r.page().Rows {
		if row.Renewed.After(since) {
			n++
		}
	}
	return n
}

// free returns the IDs that may be taken over.
func (r *run) free() (ids map[int64]bool) {
	ids = map[int64]bool{}
	p := r.page()
	for _, row := range p.Rows {
		if row.Until.Add(r.Job.Lease.Quarantine + p.Clock.Error).Before(p.Clock.Now) {
			ids[row.WorkerID] = true
		}
	}
	return ids
}

// takeOver waits until the leases of processes are over, and starts as many others as it needs for
// them to take all these IDs over, and ends those that got others, which were free as well. An
// owner that is heard but hears nothing may lease its ID again before anybody else does.
func (r *run) takeOver(from []*crew.Member) (fresh []*crew.Member) {
	ids := map[int64]bool{}
	for _, p := range from {
		ids[r.IDOf(p.Number)] = true
	}
	var free map[int64]bool
	crew.Await(r, "the end of the leases", func() bool {
		free = r.free()
		n := 0
		for id := range ids {
			if free[id] {
				n++
			}
		}
		return n == len(ids)
	})
	tried := 0
	for most := len(free) + 10; len(ids) > 0 && tried < most; tried++ {
		p := r.start(r.net.Near, 1)[0]
		p.AwaitUIDs(100)
		if ids[r.IDOf(p.Number)] {
			fresh = append(fresh, p)
			delete(ids, r.IDOf(p.Number))
		} else {
			p.End()
		}
		free = r.free()
		maps.DeleteFunc(ids, func(id int64, _ bool) bool { return !free[id] })
	}
	if len(ids) > 0 {
		r.Fatalf("%d processes have not taken over %v", tried, ids)
	}
	return fresh
}

// finish ends all, and checks what they have drawn.
func (r *run) finish(lost bool) {
	r.CloseAll()
	r.Check()
	if r.Job.Blind || lost {
		return
	}
	for _, row := range r.page().Rows {
		if newest := r.Newest(row.WorkerID); row.High < newest {
			r.Fatalf("of worker ID %d a UID of tick %d was drawn, but reserved was up to %d", row.WorkerID, newest, row.High)
		}
	}
}
