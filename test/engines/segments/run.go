package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/test/crew"
	"github.com/uidgen/uid/test/engines"
)

// A run is processes that draw the numbers of a tag of its own.
type run struct {
	*engines.Trial
	*crew.Members
	*memory
	d   *engines.Deployment
	net *engines.Network
	job job // that each process begins with
	// admin is the same store, past the proxies.
	admin segment.Store
}

// tags counts those that were used.
var tags atomic.Int64

func newRun(t *engines.Trial, d *engines.Deployment, j job) *run {
	m, err := newMemory(j.Most)
	t.Must(err)
	t.Cleanup(m.Close)
	m.pause.Store(int64(5 * time.Millisecond))
	r := &run{Trial: t, Members: crew.NewMembers(t), memory: m, d: d, job: j}
	r.job.Tag = fmt.Sprintf("run%d", tags.Add(1))
	r.net, err = engines.NewNetwork(d)
	t.Must(err)
	t.Cleanup(r.net.Close)
	r.visit(d.URL(d.Addrs...))
	return r
}

// visit opens the store for the admin.
func (r *run) visit(url string) {
	s, c, err := engines.Open(context.Background(), url)
	r.Must(err)
	r.Cleanup(func() { c.Close() })
	r.admin = s.Segments
}

// inspect has processes accept what the store says about itself, and returns that.
func (r *run) inspect() (lossy []string) {
	r.asAdmin(func(ctx context.Context) (err error) {
		lossy, err = r.admin.Inspect(ctx)
		return err
	})
	r.job.LossyStore = len(lossy) > 0
	return lossy
}

// asAdmin tries something until it succeeds.
func (r *run) asAdmin(try func(ctx context.Context) error) {
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		err := try(ctx)
		cancel()
		if err == nil {
			return
		}
		if time.Since(began) > time.Minute {
			r.Fatalf("the store of tag %s: %v", r.job.Tag, err)
		}
	}
}

// row reads the row, which nobody else writes meanwhile.
func (r *run) row() (row segment.Row) {
	r.asAdmin(func(ctx context.Context) error {
		return r.admin.Change(ctx, r.job.Tag, func(now *segment.Row) error {
			row = *now
			if row.Fresh {
				return fmt.Errorf("no tag %s", r.job.Tag)
			}
			return nil // so that it is written, and seen to be the newest
		})
	})
	return row
}

// start starts processes, which each ask another node first.
func (r *run) start(n int) (ps []*crew.Member) {
	for range n {
		j := r.job
		j.Process = len(r.All)
		j.Store = r.d.URL(r.net.Near.Addrs(j.Process)...)
		if j.Process >= maxProcesses {
			r.Fatalf("more than %d processes", maxProcesses)
		}
		r.started.Add(1)
		ps = append(ps, r.Launch(j, r.File(), r.Processes[j.Process].issued.Load))
	}
	return ps
}

// replace has an end come to a process that draws, and starts another one.
func (r *run) replace(end func(*crew.Member)) {
	end(r.Any())
	r.start(1)
}

// close has a process end in good order.
func (r *run) close(p *crew.Member) {
	p.Close()
	if r.progress(p).stats.closed.Load() == 0 {
		r.Fatalf("process %d did not end in good order: %v\n%s", p.Number, p.State(), p.Log())
	}
}

// closeAll ends the living.
func (r *run) closeAll() {
	for _, p := range r.Living() {
		r.close(p)
	}
}

// progress returns what a process has come to.
func (r *run) progress(p *crew.Member) *progress { return &r.Processes[p.Number] }

// finish ends all in good order, and judges.
func (r *run) finish() verdict {
	r.closeAll()
	return r.judge(r.row().Next)
}
