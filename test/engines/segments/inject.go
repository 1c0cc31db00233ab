package main

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid/test/crew"
	"github.com/uidgen/uid/test/proxy"
)

// counts are what has happened in a run.
type counts struct{ kills, closes, pauses, cuts, servers, leaders int }

// disturb injects the plan's faults, in any order, while the processes draw all of its numbers.
func (r *run) disturb(p plan) (n counts) {
	var actions []func()
	add := func(times int, action func()) {
		for range times {
			actions = append(actions, action)
		}
	}
	add(p.kills, func() { r.replace((*crew.Member).End); n.kills++ })
	add(p.closes, func() { r.replace(r.close); n.closes++ })
	add(p.pauses, func() { r.standStill(); n.pauses++ })
	if len(r.net.Near) > 0 {
		add(p.cuts, func() { r.cutReplies(); n.cuts++ })
	}
	r.Rand.Shuffle(len(actions), func(i, j int) { actions[i], actions[j] = actions[j], actions[i] })

	planned := len(actions)
	servers := &serverKiller{run: r, random: rand.New(rand.NewPCG(r.Rand.Uint64(), 1))}
	if r.d.Ours() {
		planned += p.outages
		servers.begin(p.outages)
	}
	var done int64
	pace := r.keepPace(p.numbers, func() float64 { return float64(atomic.LoadInt64(&done)+servers.rounds.Load()) / float64(planned) })
	for _, act := range actions {
		r.Idle(p.between)
		act()
		atomic.AddInt64(&done, 1)
	}
	r.Must(servers.await())
	pace()
	r.pause.Store(0)
	crew.Await(r, "all numbers to be drawn", func() bool { return r.issued() >= p.numbers })
	r.pause.Store(int64(5 * time.Millisecond))
	for _, p := range r.Living() {
		if r.progress(p).lost.Load() == 0 { // else judge says so
			p.AwaitUIDs(1)
		}
	}
	n.servers, n.leaders = servers.kills, servers.leaders
	return n
}

// quick is how long processes rest at least while they keep pace.
const quick = 250 * time.Microsecond

// keepPace has the processes draw the numbers evenly over the time that the faults take.
func (r *run) keepPace(numbers int64, progress func() float64) (stop func()) {
	end := make(chan struct{})
	var keeping sync.WaitGroup
	keeping.Go(func() {
		for {
			select {
			case <-end:
				return
			case <-time.After(20 * time.Millisecond):
			}
			pause := max(r.rest()/2, quick)
			if float64(r.issued()) > progress()*float64(numbers) {
				pause = min(4*pause, 100*time.Millisecond)
			}
			r.pause.Store(int64(pause))
		}
	})
	stop = sync.OnceFunc(func() {
		close(end)
		keeping.Wait()
	})
	r.Cleanup(stop)
	return stop
}

// standStill pauses a process.
func (r *run) standStill() {
	p := r.Any()
	p.Stop()
	r.Idle(400 * time.Millisecond)
	p.Continue()
}

// cutReplies has the servers do what they are asked to for a while, and nobody hears of it; a
// process ends meanwhile.
func (r *run) cutReplies() {
	r.net.Near.Each(func(p *proxy.Proxy) { p.Mute(true) })
	time.AfterFunc(300*time.Millisecond, func() { r.net.Near.Each(func(p *proxy.Proxy) { p.Mute(false) }) })
	r.Idle(150 * time.Millisecond)
	r.replace(r.close)
}
