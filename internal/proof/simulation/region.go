package simulation

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// A region has processes, and a database of its own.
type region struct {
	plan      Plan
	engine    engine
	ids       lease.Range
	terms     uid.Terms
	random    *rand.Rand
	queue     queue
	now       int64 // nanoseconds since the beginning
	db        *database
	processes []*process
	calling   *process // the one that calls the database
	dark      bool     // in a blackout
	trouble   int64    // when the last outage ended, or will

	usage usage
	Result
}

// Run simulates a region, number n of the plan. It needs a bubble of package synctest: the
// protocol pauses between two attempts, which there takes no time.
func Run(ctx context.Context, plan Plan, n int) (Result, usage, error) {
	r := &region{plan: plan, engine: engines[n], random: rand.New(rand.NewPCG(plan.Seed, uint64(n))), usage: usage{}}
	size := plan.ids()
	r.ids = lease.Range{First: int64(n) * size, Last: int64(n+1)*size - 1}
	if plan.Planted == NoRanges {
		r.ids = lease.Range{First: 0, Last: size - 1}
	}
	r.Name, r.Range = r.engine.name, r.ids
	r.Days = make([]daily, (plan.Length+day-1)/day)
	r.terms = layout.Terms()
	r.terms.MaxLead, r.terms.Revoke = 10*time.Minute, func() {}
	var err error
	if r.db, err = newDatabase(ctx, r); err != nil {
		return r.Result, nil, err
	}
	for range plan.Processes {
		p := &process{region: r}
		r.processes = append(r.processes, p)
		p.plan(r.within(time.Second))
	}
	r.schedule(ctx)
	for e, found := r.queue.pop(); found && e.at < int64(plan.Length); e, found = r.queue.pop() {
		r.now = e.at
		if e.process == nil {
			e.happens()
		} else if e.turn == e.process.turn {
			e.process.takeTurn(ctx)
		}
	}
	for _, p := range r.processes {
		p.kill(ctx)
	}
	r.Rows, r.Ticks = r.db.rows(), r.usage.ticks()
	return r.Result, r.usage, nil
}

func (r *region) time() time.Time { return origin.Add(time.Duration(r.now)) }

// within returns a duration below d at random; 0 for 0.
func (r *region) within(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return time.Duration(r.random.Int64N(int64(d)))
}

// after has something happen later.
func (r *region) after(d time.Duration, happens func()) {
	r.queue.push(event{at: r.now + int64(d), happens: happens})
}

// every has something happen again and again, on average so often.
func (r *region) every(mean time.Duration, happens func()) {
	r.after(time.Duration(r.random.ExpFloat64()*float64(mean)), func() {
		happens()
		r.every(mean, happens)
	})
}

// schedule plans all that befalls the region.
func (r *region) schedule(ctx context.Context) {
	each := func(mean time.Duration) time.Duration { return mean / time.Duration(len(r.processes)) }
	one := func() *process { return r.processes[r.random.IntN(len(r.processes))] }
	r.every(r.plan.Length/2000, r.sample)
	r.every(r.plan.Rolling, func() { r.Rollings++; r.restart(ctx, 30*time.Minute, 2*time.Second) })
	r.every(r.plan.AtOnce, func() {
		r.AtOnces++
		r.restart(ctx, time.Second, 5*time.Second)
		r.after(2*time.Minute, r.sample)
	})
	r.every(r.plan.Outage, func() {
		if !r.dark && !r.db.down {
			r.Outages++
			most := r.plan.Window / 6
			if r.random.IntN(8) == 0 {
				most = r.plan.Window * 3 / 2 // nobody has a tick left then
			}
			r.outage(r.within(most))
		}
	})
	r.every(r.plan.Blackout, func() {
		if !r.dark && !r.db.down {
			r.Blackouts++
			r.blackout(ctx, r.plan.Window/10+r.within(r.plan.Window/2))
		}
	})
	if r.engine.loses {
		r.every(r.plan.Failover, func() { r.failover(ctx) })
	}
	r.every(each(r.plan.Crash), func() {
		if p := one(); p.state != off {
			r.Crashes++
			p.kill(ctx)
			p.plan(time.Second + r.within(10*time.Second))
		}
	})
	r.every(each(r.plan.Pause), func() {
		if p := one(); p.state == running {
			r.Pauses++
			p.stall(ctx, r.pause())
		}
	})
	r.every(each(r.plan.Step), func() {
		p := one()
		r.Steps++
		most := []time.Duration{100 * time.Millisecond, time.Second, time.Minute, time.Hour}[r.random.IntN(4)]
		p.step(r.within(2*most) - most)
		r.after(r.within(6*time.Hour), func() { p.step(0) })
	})
}

// pause returns how long a process is stopped: seconds, less than its lease lasts, or more.
func (r *region) pause() time.Duration {
	ttl := r.plan.ttl()
	return []time.Duration{r.within(time.Minute), r.within(ttl), ttl + r.within(2*ttl)}[r.random.IntN(3)]
}

// restart restarts all processes within a time.
func (r *region) restart(ctx context.Context, within, gap time.Duration) {
	for i, p := range r.processes {
		r.after(within*time.Duration(i)/time.Duration(len(r.processes)), func() {
			if !r.dark && p.state != paused {
				p.stop(ctx)
				p.plan(gap)
			}
		})
	}
}

// outage takes the database away.
func (r *region) outage(d time.Duration) {
	r.db.down, r.trouble = true, r.now+int64(d)
	r.after(d, func() { r.db.down = false })
}

// blackout takes everything away.
func (r *region) blackout(ctx context.Context, d time.Duration) {
	r.outage(d)
	r.dark = true
	for _, p := range r.processes {
		p.kill(ctx)
	}
	r.after(d, func() {
		r.dark = false
		for _, p := range r.processes {
			p.plan(r.within(10 * time.Second))
		}
		r.after(time.Minute, r.sample)
	})
}

// failover has another server take over, with another clock, that lacks the writes of the last
// minute or less. Some processes are restarted in that minute.
func (r *region) failover(ctx context.Context) {
	if r.db.down {
		return
	}
	r.Failovers++
	restore := r.db.memory.Backup()
	lag := r.within(time.Minute)
	r.trouble = r.now + int64(lag)
	some := r.processes[:1+len(r.processes)/10]
	for i := range some {
		p := r.processes[(i*7+r.Failovers)%len(r.processes)]
		r.after(r.within(lag), func() {
			if !r.dark && p.state == running {
				p.stop(ctx)
				p.plan(r.within(time.Second))
			}
		})
	}
	r.after(lag, func() {
		restore()
		r.db.offset = r.within(skew) - skew/2
	})
}

// told counts what happens to leases.
func (r *region) told(e lease.Event) {
	switch e.Kind {
	case lease.TakenOver:
		r.TakenOver++
	case lease.Lost:
		r.LostLeases++
	}
}

// refused counts a start's failed attempt.
func (p *process) refused(err error) {
	switch {
	case errors.Is(err, uid.ErrNoWorkerID):
		p.region.NoneFree++
	case errors.Is(err, worker.ErrClock):
		p.region.WrongClock++
		p.wrong = true
	}
}

// sample notes how many IDs are held.
func (r *region) sample() {
	d := r.today()
	d.Held = max(d.Held, r.db.held())
}

// waited notes how long a start took.
func (r *region) waited(p *process) {
	d := time.Duration(r.now - p.asked)
	if p.asked <= r.trouble || p.wrong {
		r.Troubled = append(r.Troubled, d)
	} else {
		r.Calm = append(r.Calm, d)
	}
	if t := r.today(); !p.wrong {
		t.Wait = max(t.Wait, d)
	}
}
