package suite

import (
	"cmp"
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"
)

const (
	// Clients is how many clients make the calls of a history, and calls how many each makes.
	Clients = 4
	calls   = 9
	// keys is how many keys a history is about, at most: few, so that calls meet.
	keys = 12
	// never is when an open operation ends.
	never = math.MaxInt64
)

// A Recorder records the calls of one history, and judges them when it is over: some order of them, each at a time
// within its call, has to explain what all of them saw.
type Recorder struct {
	Seed uint64
	// Faults says that calls may have faults, so that some histories are without.
	Faults bool

	p     *Probe
	clock atomic.Int64  // orders the calls and returns
	ended chan struct{} // has a receiver while a decision waits for others

	init map[string]string // what is there before, by key

	mu      sync.Mutex
	history []*Operation
}

func (p *Probe) recorder(seed uint64) *Recorder {
	return &Recorder{Seed: seed, Faults: seed%2 == 1, p: p, ended: make(chan struct{})}
}

// Record records as many histories as the settings say, or as end within Limit, and checks each. Record
// makes the calls of one.
func (p *Probe) Record(record func(r *Recorder, n int)) {
	undecided, began := 0, time.Now()
	for n := range p.Histories {
		switch p.recorder(p.Seed + uint64(n)).judge(func(r *Recorder) { record(r, n) }) {
		case porcupine.Illegal:
			return
		case porcupine.Unknown:
			undecided++
		}
		if p.Ctx.Err() != nil {
			p.Errorf("a history of 40 calls did not end within %v", longest)
			return
		}
		if time.Since(began) > Limit {
			p.Notef("in %v no more than %d histories could be recorded", Limit, n+1)
			return
		}
	}
	if undecided > 0 {
		p.Notef("%d of %d histories were not decided in time", undecided, p.Histories)
	}
}

// Short records one history of a few calls, which no Model could judge: their order is not known.
func (p *Probe) Short(record func()) {
	p.recorder(p.Seed).judge(func(*Recorder) { record() })
}

// judge records a history, and looks for an order that explains it. Where something else was found already, it
// is illegal.
func (r *Recorder) judge(record func(*Recorder)) porcupine.CheckResult {
	model := r.p.judge
	r.p.judge, r.init = r, r.p.Model.Texts()
	for key, text := range r.init {
		r.init[key] = r.p.brief(text)
	}
	defer func() { r.p.judge = model }()
	record(r)
	if len(r.p.Found()) > 0 {
		return porcupine.Illegal
	}
	if r.p.Ctx.Err() != nil {
		return porcupine.Unknown
	}
	result := linearizable(r.init, r.history, 5*time.Second)
	if result == porcupine.Illegal {
		slices.SortFunc(r.history, func(a, b *Operation) int { return cmp.Compare(a.call, b.call) })
		lines := make([]string, len(r.history))
		for i, o := range r.history {
			lines[i] = o.String()
		}
		r.p.Errorf("no order of these calls explains what they saw and wrote:\n%s", strings.Join(lines, "\n"))
	}
	return result
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

// Chance is true that often in a hundred times.
func Chance(random *rand.Rand, percent int) bool { return random.IntN(100) < percent }

// RandomFault sets the fault of a client's next call in some of the histories: most often none. It lets late writes
// arrive now and then. delay is the last of the faults, which needs deliver; set and deliver may be nil.
func RandomFault[S any, F ~int](r *Recorder, random *rand.Rand, c S, delay F, set func(S, F) bool, deliver func()) {
	if !r.Faults || set == nil {
		return
	}
	var fault F // also in place of one that no call has used
	if Chance(random, 20) {
		fault = 1 + F(random.IntN(int(delay)))
	}
	if fault != delay || deliver != nil {
		set(c, fault)
	}
	if Chance(random, 15) && deliver != nil {
		deliver()
	}
}

// Plan returns what a decision does besides: most decide at once, and store. Others wait for another decision, or
// until others have made some calls, or end the context, or return ErrLook.
func (r *Recorder) Plan(random *rand.Rand) func(cancel context.CancelFunc) error {
	refuse, meet, pause, cancels := Chance(random, 10), Chance(random, 30), Chance(random, 7), Chance(random, 5)
	return func(cancel context.CancelFunc) error {
		if meet {
			r.p.wait(r.p.Patience/4, r.p.met, r.p.met)
		}
		for range 6 {
			if !pause || !r.p.wait(r.p.Patience, nil, r.ended) {
				break
			}
		}
		if cancels {
			cancel()
		}
		if refuse {
			return ErrLook
		}
		return nil
	}
}

// Meet waits for another decision that calls it, or briefly with a store that locks.
func (p *Probe) Meet() { p.wait(p.Patience, p.met, p.met) }

// wait waits until somebody takes or gives something, or briefly with a store that locks, where others cannot.
func (p *Probe) wait(patience time.Duration, give, take chan struct{}) bool {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case give <- struct{}{}:
	case <-take:
	case <-timer.C:
		return false
	}
	return true
}

func (r *Recorder) begins(o *Operation) { o.call = r.clock.Add(1) }

func (*Recorder) sees(*Operation, string) {}

// ends records an operation. What it only saw need not have been there all at the same time.
func (r *Recorder) ends(o *Operation, err error) {
	o.ret = r.clock.Add(1)
	select {
	case r.ended <- struct{}{}:
	default:
	}
	if err != nil && o.Result == Open {
		r.p.MayPass(o.Name, err)
		o.ret = never
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	writes := *o
	writes.On = map[string]Access{}
	for key, a := range o.On {
		switch {
		case o.Result != Refused && (a.Writes || a.Step != nil):
			writes.On[key] = a
		case o.Result != Open:
			one := *o
			one.Result, one.On = Refused, map[string]Access{key: a}
			r.history = append(r.history, &one)
		}
	}
	if len(writes.On) > 0 {
		r.history = append(r.history, &writes)
	}
}

// state is what a store in the model holds, by the order of its keys.
type state [keys]string

// steps returns the states that an operation can lead to. What it saw must be the state, or its
// write would replace something else. An open operation need not have happened, and cannot happen
// once what it would replace was written again.
func (o *Operation) steps(s state, sorted []string) []state {
	fits, next := true, s
	for key, a := range o.On {
		i := slices.Index(sorted, key)
		switch {
		case a.Step != nil:
			var can bool
			next[i], can = a.Step(s[i])
			fits = fits && can
		case o.Result == Refused:
			fits = fits && a.Saw == s[i]
		default:
			fits, next[i] = fits && cmp.Or(a.First, a.Saw) == s[i], a.Wrote
		}
	}
	switch {
	case fits && o.Result == Open:
		return []state{s, next}
	case fits:
		return []state{next}
	case o.Result == Open:
		return []state{s}
	}
	return nil
}

// linearizable reports whether a store that makes one call at a time could have the history:
// whether some order of the operations, each at a time within its call, explains it. It is
// undecided when that takes too long.
func linearizable(init map[string]string, history []*Operation, within time.Duration) porcupine.CheckResult {
	ops, all := make([]porcupine.Operation, 0, len(history)), map[string]bool{}
	for _, o := range history {
		ops = append(ops, porcupine.Operation{ClientId: o.client, Input: o, Call: o.call, Return: o.ret})
		for key := range o.On {
			all[key] = true
		}
	}
	sorted := slices.Sorted(maps.Keys(all))
	var first state
	for i, key := range sorted {
		first[i] = init[key]
	}
	model := (&porcupine.NondeterministicModel{
		Init: func() []any { return []any{first} },
		Step: func(s, input, _ any) (next []any) {
			for _, n := range input.(*Operation).steps(s.(state), sorted) {
				next = append(next, n)
			}
			return next
		},
	}).ToModel()
	return porcupine.CheckOperationsTimeout(model, ops, within)
}
