package suite

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"
)

// Clients is how many clients make the calls of a history, and calls how many each makes.
const (
	Clients = 4
	calls   = 9
)

// A Recorder records the calls of one history.
type Recorder struct {
	Seed uint64
	// Faults says that calls may have faults, so that some histories are without.
	Faults bool

	p     *Probe
	crowd *Crowd
	clock atomic.Int64  // orders the calls and returns
	ended chan struct{} // has a receiver while a decision waits for others

	mu      sync.Mutex
	history []Operation
}

// Record records as many histories as the settings say, and checks each. Record makes the calls of
// one.
func (p *Probe) Record(record func(*Recorder)) {
	undecided := 0
	for n := range p.Histories {
		r := &Recorder{Seed: p.Seed + uint64(n), Faults: n%2 == 1, p: p, crowd: p.Crowd(), ended: make(chan struct{})}
		r.crowd.Patience = p.Patience / 4
		record(r)
		if len(p.Found()) > 0 {
			p.Notef("the rest is not tried, after history %d", n)
			return
		}
		if p.Ctx.Err() != nil {
			if n == 0 {
				p.Errorf("a history of 40 calls took more than %v", Limit)
			}
			p.Notef("in %v no more than %d histories could be recorded", Limit, n)
			return
		}
		switch linearizable(r.history, 5*time.Second) {
		case porcupine.Illegal:
			slices.SortFunc(r.history, func(a, b Operation) int { return cmp.Compare(a.call, b.call) })
			lines := make([]string, len(r.history))
			for i, o := range r.history {
				lines[i] = o.String()
			}
			p.Errorf("history %d: no order of these calls explains what they saw and wrote:\n%s", n, strings.Join(lines, "\n"))
			return
		case porcupine.Unknown:
			undecided++
		}
	}
	if undecided > 0 {
		p.Notef("%d of %d histories were not decided in time", undecided, p.Histories)
	}
}

// Each runs the clients of a history at once: begin makes one, which makes a call at random each
// time that it is called.
func (r *Recorder) Each(begin func(client int) (call func(random *rand.Rand))) {
	r.p.Each(Clients, func(i int) {
		random := rand.New(rand.NewPCG(r.Seed, uint64(i)))
		call := begin(i)
		for range calls {
			call(random)
		}
	})
}

// A Plan says what a decision does besides.
type Plan struct {
	Refuse bool // store nothing
	Meet   bool // wait for another decision
	Pause  bool // wait until others have made calls
	Cancel bool // end the context
}

// Chance is true that often in a hundred times.
func Chance(random *rand.Rand, percent int) bool { return random.IntN(100) < percent }

// RandomPlan returns one. Most decide at once, and store.
func RandomPlan(random *rand.Rand) Plan {
	return Plan{Refuse: Chance(random, 10), Meet: Chance(random, 30), Pause: Chance(random, 7), Cancel: Chance(random, 5)}
}

// Decide does as planned. It returns ErrLook when the decision is to store nothing.
func (r *Recorder) Decide(p Plan, cancel context.CancelFunc) error {
	if p.Meet {
		r.crowd.Meet()
	}
	if p.Pause {
		r.pause()
	}
	if p.Cancel {
		cancel()
	}
	if p.Refuse {
		return ErrLook
	}
	return nil
}

// pause waits until others have made some calls, or briefly with a store that locks, where they
// cannot.
func (r *Recorder) pause() {
	timer := time.NewTimer(r.p.Patience)
	defer timer.Stop()
	for range 6 {
		select {
		case <-r.ended:
		case <-timer.C:
			return
		}
	}
}

// Begin records the start of a call.
func (r *Recorder) Begin(name string, client int) Operation {
	return Operation{Name: name, client: client, call: r.clock.Add(1)}
}

// End records the outcome of one whose decide has run, or not. passes says of an error that it
// is none for good.
func (r *Recorder) End(o Operation, ran bool, err error, passes func(error) bool) {
	o.ret = r.clock.Add(1)
	select {
	case r.ended <- struct{}{}:
	default:
	}
	switch {
	case errors.Is(err, ErrLook):
		o.Result = Refused
	case err != nil:
		if !passes(err) {
			r.p.Errorf("%s came to an error that is final: %v", o.Name, err)
		}
		o.Result, o.ret = Open, math.MaxInt64
	}
	if !ran {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if o.Result != Refused {
		r.history = append(r.history, o)
		return
	}
	// It stores nothing that would show that all it saw was there at the same time.
	for i, a := range o.On {
		if a.Looked {
			one := o
			one.On = [Values]Access{}
			one.On[i] = a
			r.history = append(r.history, one)
		}
	}
}
