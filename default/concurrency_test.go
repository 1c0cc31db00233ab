package uncached

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/conformance"
	"github.com/uidgen/uid/internal/fake"
)

// wide has room for all the UIDs that a test can draw in a tick, so that none waits.
var wide = bits.MustLayout(bits.Config{TimeBits: 38, WorkerBits: 11, SequenceBits: 14, Unit: time.Millisecond})

// Many goroutines draw while the clock is stepped to and fro.
func TestConcurrentDraws(t *testing.T) {
	for _, policy := range []Policy{Logical(), Fail(), Wait(DefaultWait), Remember(1024), RollbackBits(8)} {
		t.Run(policy.String(), func(t *testing.T) {
			clock := fake.NewClock(wide.Epoch().Add(time.Minute))
			g := quiet(t, fake.Endless(7), Config{Layout: wide, ClockBack: policy, Now: clock.Now})
			strict := policy.kind < kindRemember

			const goroutines, each = 8, 4000
			all := make([][]uid.UID, goroutines)
			var newest atomic.Int64 // the largest UID of a call that has returned
			var wg sync.WaitGroup
			for i := range goroutines {
				wg.Go(func() {
					rng := rand.New(rand.NewPCG(uint64(i), 1))
					for len(all[i]) < each {
						if i == 0 && rng.IntN(20) == 0 {
							clock.Step(time.Duration(rng.IntN(7)-3) * time.Millisecond)
						}
						before := newest.Load()
						var dst [3]uid.UID
						n, err := 1, error(nil)
						if rng.IntN(4) == 0 {
							n, err = g.Fill(dst[:])
						} else {
							dst[0], err = g.TryGetUID()
						}
						if err != nil {
							runtime.Gosched()
							if i == 0 {
								clock.Step(time.Millisecond) // it is this goroutine that moves the clock
							}
							continue
						}
						for _, u := range dst[:n] {
							if strict && int64(u) <= before {
								t.Errorf("%d came after %d", u, before)
								return
							}
							before = int64(u)
							all[i] = append(all[i], u)
						}
						conformance.Raise(&newest, before)
					}
				})
			}
			wg.Wait()
			conformance.Distinct(t, slices.Concat(all...))
		})
	}
}

// While goroutines draw, the worker withdraws what it gave and gives something else. No call
// that begins after a Revoke has returned gets a UID under what was withdrawn, and the order
// holds over every change.
func TestConcurrentRevocation(t *testing.T) {
	w := fake.Giving(all)
	var now atomic.Int64 // milliseconds
	now.Store(time.Minute.Milliseconds())
	g := quiet(t, w, Config{Layout: wide, Now: func() time.Time { return wide.TimeOf(now.Load()) }})

	var epoch atomic.Int64 // counts revocations; the worker ID is its remainder
	epoch.Store(7)
	var newest atomic.Int64
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for !stop.Load() {
				began, before := epoch.Load(), newest.Load()
				u, err := g.TryGetUID()
				if err != nil {
					runtime.Gosched()
					continue
				}
				ended := epoch.Load()
				p, _ := g.ParseUID(u)
				valid := false
				for e := began; e <= ended+1; e++ {
					valid = valid || p.WorkerID == e%8
				}
				if !valid {
					t.Errorf("%v drawn between the revocations %d and %d", p, began, ended)
				}
				if int64(u) <= before {
					t.Errorf("%v came after %d", p, before)
				}
				conformance.Raise(&newest, int64(u))
			}
		})
	}
	for e := int64(8); e < 200; e++ {
		r := all
		r.WorkerID = e % 8
		w.Give(r, nil)
		w.Terms.Revoke()
		epoch.Store(e) // what began before may still be under e-1
		for g.tenure.Grant().Until < 0 {
			runtime.Gosched()
		}
		now.Add(1)
	}
	stop.Store(true)
	wg.Wait()
}

// While goroutines draw, the worker ID changes. No UID under the new one is smaller than any
// that was drawn before.
func TestConcurrentChangeOfWorkerID(t *testing.T) {
	var readings atomic.Int64
	done := make(chan struct{})
	w := changing(20000, done)
	g := quiet(t, w, Config{Layout: wide, Now: func() time.Time {
		return wide.TimeOf(60000 + readings.Add(1)/8) // several readings a tick
	}})
	var newest atomic.Int64
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for !stop.Load() {
				before := newest.Load()
				u, err := g.TryGetUID()
				if err == nil && int64(u) <= before {
					t.Errorf("%d came after %d", u, before)
					return
				}
				conformance.Raise(&newest, int64(u))
			}
		})
	}
	w.Terms.Revoke()
	<-done
	stop.Store(true)
	wg.Wait()
}
