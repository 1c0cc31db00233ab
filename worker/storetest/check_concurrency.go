package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker/lease"
)

var concurrencyChecks = []check{
	{"Takes at once", "nobody else can change what decide sees before the outcome is stored", takesAtOnce},
	{"Changes at once", "nobody else can change what decide sees before the outcome is stored", changesAtOnce},
	{"the clock is read last", "the Clock is read after the rows are locked or read", clockLast},
	{"contexts end waits", "a call returns soon after its context has ended, even while it waits for a lock; decide does not run once the method has returned", contextsEnd},
	{"late writes", "a write that is on its way may still arrive, unless the row was written again since", lateWrites},
	{"lost writes", "a store that has lost writes must not store anything that was decided before it lost them", lostWrites},
	{"open outcomes are left alone", "decide may run several times, as long as nothing of the run before is stored or still can be; what may pass is marked", openOutcomes},
}

// An outcome is what the last run of decide saw.
type outcome struct {
	fresh bool
	id    int64
}

// outcomes are the outcomes of several calls.
type outcomes struct {
	mu     sync.Mutex
	stored []outcome
	open   int // how many more may have been stored
}

// attempts runs n calls at once, each by its own client and until it succeeds. An unmarked error
// would end an owner, and must not come of concurrency alone.
func (p *probe) attempts(n int, namespace string, do func(c *client, i int, ran *outcome) error) *outcomes {
	var all outcomes
	p.Each(n, func(i int) {
		c := p.open(namespace)
		for {
			var ran outcome
			err := do(c, i, &ran)
			all.mu.Lock()
			if err == nil {
				all.stored = append(all.stored, ran)
			} else {
				all.open++
			}
			all.mu.Unlock()
			switch {
			case err == nil:
				return
			case !retry.IsTransient(err) || p.Ctx.Err() != nil:
				p.Fatalf("of %d calls at once one came to an error that is final: %v", n, err)
			}
		}
	})
	return &all
}

// counted checks a number that every call has raised by 1.
func (p *probe) counted(what string, got int64, all *outcomes) {
	if least := int64(len(all.stored)); got < least || got > least+int64(all.open) {
		p.Errorf("%d calls at once raised %s by 1 each, %d more may have; it is %d", least, what, all.open, got)
	}
}

func takesAtOnce(p *probe) {
	const n = 8
	c, namespace := p.made()
	for id := range int64(n / 2) {
		c.put(lease.Row{WorkerID: id, Until: c.now().Add(-time.Hour)})
	}
	crowd := p.Crowd()
	all := p.attempts(n, namespace, func(c *client, _ int, ran *outcome) error {
		// Enough IDs for calls whose outcome stays open.
		return c.Take(p.Ctx, wanted(0, 10*n), func(ns *lease.Namespace, r *lease.Row, now lease.Clock) error {
			crowd.Meet()
			*ran = outcome{id: r.WorkerID}
			ns.Floor = max(ns.Floor, 0) + 1
			r.Until, r.High, r.Nonce = now.Now.Add(time.Hour), r.High+1, p.Token()
			return nil
		})
	})
	ids := map[int64]bool{}
	for _, o := range all.stored {
		if ids[o.id] {
			p.Errorf("two of %d Takes at once got worker ID %d", n, o.id)
		}
		ids[o.id] = true
		if row, found, _ := c.row(o.id); !found || row.Nonce == "" {
			p.Errorf("worker ID %d was taken, and its row is %+v", o.id, row)
		}
	}
	p.counted("Floor", c.namespace().Floor, all)

	// Now each has its own ID, so that they share only the namespace.
	c, namespace = p.made()
	for id := range int64(n) {
		c.put(lease.Row{WorkerID: id, Until: early})
	}
	all = p.attempts(n, namespace, func(c *client, i int, _ *outcome) error {
		return c.Take(p.Ctx, wanted(int64(i), int64(i)), func(ns *lease.Namespace, r *lease.Row, now lease.Clock) error {
			crowd.Meet()
			ns.Floor = max(ns.Floor, 0) + 1
			r.Until, r.Nonce = now.Now.Add(-time.Hour), p.Token()
			return nil
		})
	})
	p.counted("Floor", c.namespace().Floor, all)
}

func changesAtOnce(p *probe) {
	const clients, times = 4, 4
	c, namespace := p.made()
	c.put(lease.Row{WorkerID: 0, Until: late})
	crowd := p.Crowd()
	all := p.attempts(clients*times, namespace, func(c *client, i int, _ *outcome) error {
		return c.Change(p.Ctx, 0, func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error {
			if r == nil {
				return errors.New("the row is gone")
			}
			if i < clients { // more would take long where one waits for another
				crowd.Meet()
			}
			r.High, r.Nonce = r.High+1, p.Token()
			return nil
		})
	})
	row, _, _ := c.row(0)
	p.counted("High", row.High, all)
}

// clockLast lets one call wait in its decision while time passes and another one begins. If the
// other sees what the first has written, its Clock must show the time that has passed.
func clockLast(p *probe) {
	c, namespace := p.made()
	c.put(lease.Row{WorkerID: 0, Until: late}, lease.Row{WorkerID: 1, Until: early})
	ways := map[string]func(s *client, decide func(renewed *time.Time, now lease.Clock)) error{
		"Change": func(s *client, decide func(*time.Time, lease.Clock)) error {
			return s.Change(p.Ctx, 0, func(_ *lease.Namespace, r *lease.Row, now lease.Clock) error { decide(&r.Renewed, now); return nil })
		},
		"Take": func(s *client, decide func(*time.Time, lease.Clock)) error {
			return s.Take(p.Ctx, wanted(1, 1), func(n *lease.Namespace, _ *lease.Row, now lease.Clock) error { decide(&n.Renewed, now); return nil })
		},
		"Init": func(s *client, decide func(*time.Time, lease.Clock)) error {
			return s.Init(p.Ctx, func(n *lease.Namespace, now lease.Clock) error { decide(&n.Renewed, now); return nil })
		},
	}
	for name, call := range ways {
		for range 3 {
			begins, begun, second := make(chan struct{}), make(chan struct{}), make(chan struct{})
			var once sync.Once
			var all sync.WaitGroup
			all.Go(func() {
				p.Guarded(func() {
					<-begins
					close(begun)
					err := call(p.open(namespace), func(renewed *time.Time, now lease.Clock) {
						if early := renewed.Add(-2 * now.Error); now.Now.Before(early) {
							p.Errorf("%s: the Clock is at %v where one who wrote before had it at %v at least", name, now.Now, *renewed)
						}
						once.Do(func() { close(second) })
					})
					if err != nil && !retry.IsTransient(err) {
						p.Errorf("%s: a call that had to wait came to %v", name, err)
					}
				})
			})
			first := true
			err := call(c, func(renewed *time.Time, now lease.Clock) {
				*renewed = now.Now
				if first {
					first = false
					*renewed = p.pass(now.Now, func() {
						close(begins)
						<-begun
						timer := time.NewTimer(2 * p.Patience)
						defer timer.Stop()
						select {
						case <-second: // this store lets both decide
						case <-timer.C:
						}
					})
				}
			})
			if first {
				p.Errorf("%s: decide has not run: %v", name, err)
				close(begins)
			}
			all.Wait()
			if err != nil && !retry.IsTransient(err) {
				p.Errorf("%s: a call that stood in decide came to %v", name, err)
			}
		}
	}
}

// pass lets time pass and returns the least that the store's clock then shows; it showed now
// before.
func (p *probe) pass(now time.Time, stand func()) time.Time {
	began := time.Now()
	stand()
	if p.Advance != nil {
		p.Advance(time.Hour)
		return now.Add(time.Hour)
	}
	// Half of it, in case the clocks run at different speeds.
	return now.Add((time.Since(began) / 2).Truncate(time.Microsecond))
}

func contextsEnd(p *probe) {
	c, namespace := p.made()
	c.put(lease.Row{WorkerID: 0, Until: late}, lease.Row{WorkerID: 1, Until: early})
	ways := map[string]func(s *client, ctx context.Context, decided func()) error{
		"Change": func(s *client, ctx context.Context, decided func()) error {
			return s.Change(ctx, 0, func(*lease.Namespace, *lease.Row, lease.Clock) error { decided(); return nil })
		},
		"Take": func(s *client, ctx context.Context, decided func()) error {
			return s.Take(ctx, wanted(1, 1), func(*lease.Namespace, *lease.Row, lease.Clock) error { decided(); return nil })
		},
		"Init": func(s *client, ctx context.Context, decided func()) error {
			return s.Init(ctx, func(*lease.Namespace, lease.Clock) error { decided(); return nil })
		},
	}
	for name, call := range ways {
		var all sync.WaitGroup
		var once sync.Once
		err := call(c, p.Ctx, func() {
			once.Do(func() {
				ctx, cancel := context.WithTimeout(p.Ctx, p.Patience)
				defer cancel()
				returned := make(chan error, 1)
				all.Go(func() {
					p.Guarded(func() { returned <- call(p.open(namespace), ctx, func() {}) })
				})
				timer := time.NewTimer(p.Patience + p.Soon)
				defer timer.Stop()
				select {
				case err := <-returned:
					if err != nil && !retry.IsTransient(err) && !errors.Is(err, context.DeadlineExceeded) {
						p.Errorf("%s: a call whose context ended came to %v, which neither wraps that nor is marked as one that may pass", name, err)
					}
				case <-timer.C:
					p.Errorf("%s: %v after its context has ended a call has not returned", name, p.Soon)
				}
			})
		})
		all.Wait()
		if err != nil && !retry.IsTransient(err) {
			p.Errorf("%s: a call that stood in decide came to %v", name, err)
		}
		// The client still works, and nothing of the ended call runs on.
		for range 3 {
			p.open(namespace).row(0)
			c.row(1)
			c.namespace()
		}
	}
	ended, cancel := context.WithCancel(p.Ctx)
	cancel()
	for name, call := range ways {
		if err := call(c, ended, func() {}); err != nil && !retry.IsTransient(err) && !errors.Is(err, context.Canceled) {
			p.Errorf("%s: a call whose context had ended came to %v, which neither wraps that nor is marked as one that may pass", name, err)
		}
	}
}

// fault makes a client's next call fail, if the store can.
func (p *probe) fault(c *client, f Fault) bool {
	return p.Subject.Fault != nil && (f != Delay || p.Deliver != nil) && p.Subject.Fault(c.store, f)
}

func lateWrites(p *probe) {
	c, namespace := p.made()
	other := p.open(namespace)
	c.put(lease.Row{WorkerID: 0, Until: early}, lease.Row{WorkerID: 1, Until: early}, lease.Row{WorkerID: 2, Until: early})
	change := func(s *client) error {
		return s.Change(p.Ctx, 0, func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error { r.Nonce = p.Token(); return nil })
	}
	take := func(id int64) func(s *client) error {
		return func(s *client) error {
			return s.Take(p.Ctx, wanted(id, id), func(n *lease.Namespace, r *lease.Row, _ lease.Clock) error {
				n.Layout, r.Nonce = p.Token(), p.Token()
				return nil
			})
		}
	}
	init := func(s *client) error {
		return s.Init(p.Ctx, func(n *lease.Namespace, _ lease.Clock) error { n.Layout = p.Token(); return nil })
	}
	// A released row is much like the row before it was taken.
	life := func(id int64) func(s *client) error {
		return func(s *client) error {
			return cmp.Or(take(id)(s), s.Change(p.Ctx, id, func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error { r.Nonce = ""; r.High++; return nil }))
		}
	}
	calls := []struct {
		name        string
		late, since func(*client) error
	}{
		{"Take, Take and release", take(2), life(2)}, {"Take of a new ID, Take and release", take(3), life(3)},
		{"Change, Change", change, change}, {"Change, Take", change, take(0)}, {"Take, Change", take(0), change},
		{"Take, Take", take(0), take(0)}, {"Take, Take of another ID", take(0), take(1)}, {"Take, Init", take(1), init},
		{"Init, Init", init, init}, {"Init, Take", init, take(1)}, {"Take of a new ID, Take", take(4), take(4)},
		{"Take of a new ID, Init", take(5), init},
	}
	for _, try := range calls {
		if !p.fault(c, Delay) {
			p.Notef("not tried: %v", Delay)
			return
		}
		if err := try.late(c); err == nil {
			p.Errorf("%s: the first returned nil, though it was not stored", try.name)
		} else if !retry.IsTransient(err) {
			p.Errorf("%s: the first came to %v, which is not marked as one that may pass", try.name, err)
		}
		for {
			err := try.since(other)
			if err == nil {
				break
			}
			if !retry.IsTransient(err) || p.Ctx.Err() != nil {
				p.Fatalf("%s: the second came to %v", try.name, err)
			}
		}
		before := fmt.Sprint(other.everything())
		p.Deliver()
		if after := fmt.Sprint(other.everything()); before != after {
			p.Errorf("%s: when the first write arrived the second had been acknowledged; before: %s, after: %s", try.name, before, after)
		}
	}
}

func lostWrites(p *probe) {
	if p.Backup == nil {
		p.Notef("not tried: the Subject has no Backup")
		return
	}
	c, namespace := p.made()
	c.put(lease.Row{WorkerID: 0, Until: late}, lease.Row{WorkerID: 1, Until: early})
	for name, call := range map[string]func(decide func(nonce *string)) error{
		"Change": func(decide func(*string)) error {
			return c.Change(p.Ctx, 0, func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error { decide(&r.Nonce); return nil })
		},
		"Take": func(decide func(*string)) error {
			return c.Take(p.Ctx, wanted(1, 1), func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error { decide(&r.Nonce); return nil })
		},
		"Init": func(decide func(*string)) error {
			return c.Init(p.Ctx, func(n *lease.Namespace, _ lease.Clock) error { decide(&n.Layout); return nil })
		},
	} {
		before := p.Token()
		restore := p.Backup()
		_, _, was := c.row(0)
		var once sync.Once
		err := call(func(nonce *string) {
			*nonce = p.Token()
			once.Do(func() { *nonce = before; restore() })
		})
		other := p.open(namespace)
		row0, _, is := other.row(0)
		if !c.Durable() && was.History != "" && is.History == was.History {
			p.Errorf("%s: the History is %q before and after writes were lost", name, is.History)
		}
		row1, _, _ := other.row(1)
		if row0.Nonce == before || row1.Nonce == before || other.namespace().Layout == before {
			p.Errorf("%s: what was decided before writes were lost was stored after that (%v)", name, err)
		}
	}
}

// everything returns the namespace and its rows of worker IDs up to 5.
func (c *client) everything() (namespace lease.Namespace, rows [6]lease.Row) {
	for id := range rows {
		rows[id], _, _ = c.row(int64(id))
	}
	return c.namespace(), rows
}

func openOutcomes(p *probe) {
	c, namespace := p.made()
	c.put(lease.Row{WorkerID: 0, Until: early})
	for _, f := range []Fault{Refuse, LoseWrite, LoseReply} {
		for _, name := range []string{"Change", "Take"} {
			if !p.fault(c, f) {
				p.Notef("not tried: %v", f)
				break
			}
			before, _, _ := p.open(namespace).row(0)
			wrote := map[string]bool{}
			decide := func(r *lease.Row) error {
				if wrote[r.Nonce] {
					p.Errorf("%s, %v: decide runs again after what it decided was stored", name, f)
				}
				r.Nonce = p.Token()
				wrote[r.Nonce] = true
				return nil
			}
			var err error
			if name == "Change" {
				err = c.Change(p.Ctx, 0, func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error { return decide(r) })
			} else {
				err = c.Take(p.Ctx, wanted(0, 0), func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error { return decide(r) })
			}
			if err != nil && !retry.IsTransient(err) {
				p.Errorf("%s, %v: the error is not marked as one that may pass: %v", name, f, err)
			}
			after, _, _ := p.open(namespace).row(0)
			switch stored := wrote[after.Nonce]; {
			case err == nil && !stored:
				p.Errorf("%s, %v: it returned nil, and has not stored what decide wrote", name, f)
			case !stored && after.Nonce != before.Nonce:
				p.Errorf("%s, %v: the row is %+v, which is neither what was there nor what decide wrote", name, f, after)
			}
		}
	}
}
