package segmenttest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/segment"
)

// wrongAtOnce are wrong in what happens at once.
func wrongAtOnce() []mistake {
	var all []mistake
	for _, by := range []string{byCreators, byRace, byRaces, byDraws, byFailures, byForeign, byHistories} {
		all = append(all, mistake{"without a guard: " + by, by, guarded(func(_, _ *segment.Row) bool { return true })})
	}
	same := func(name, by string, same func(now, read *segment.Row) bool) mistake {
		return mistake{name, by, guarded(same)}
	}
	return append(all,
		same("a guard on the next number alone", byRace, func(now, read *segment.Row) bool { return now.Next == read.Next }),
		same("a guard on all but the step", byRace, func(now, read *segment.Row) bool { r := *now; r.Step = read.Step; return r.Equal(read) }),
		same("a guard on all but the description", byRace, func(now, read *segment.Row) bool {
			r := *now
			r.Description = read.Description
			return r.Equal(read)
		}),
		same("a guard on all but takers", byRace, func(now, read *segment.Row) bool { r := *now; r.Takers = read.Takers; return r.Equal(read) }),
		same("a guard on how many takers there are", byRace, func(now, read *segment.Row) bool {
			return now.Fresh == read.Fresh && now.Next == read.Next && now.Step == read.Step && now.Description == read.Description && len(now.Takers) == len(read.Takers)
		}),
		same("no guard on a row that is not there", byCreators, func(now, read *segment.Row) bool { return read.Fresh || now.Equal(read) }),
		same("a guard on the number of a row that is not there", byRace, func(now, read *segment.Row) bool {
			return read.Fresh && now.Next == 0 || now.Equal(read)
		}),
		same("a guard that others who draw do not touch", byForeign, func(now, read *segment.Row) bool {
			r := *now
			r.Next = read.Next
			return r.Equal(read)
		}),
		mistake{"who has lost a race is acknowledged", byDraws, wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
			runs := 0
			err := c.Change(ctx, tag, func(r *segment.Row) error {
				if runs++; runs > 1 { // else UPDATE ... WHERE changes no row, and nobody asks
					return errSkip
				}
				return decide(r)
			})
			if errors.Is(err, errSkip) {
				return nil
			}
			return err
		}}},
		mistake{"who has lost a race writes what was decided", byRace, wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
			var row *segment.Row
			return c.Change(ctx, tag, func(r *segment.Row) error {
				if row != nil {
					*r = *row
					return nil
				}
				err := decide(r)
				decided := copied(r)
				row = &decided
				return err
			})
		}}},
		mistake{"who has lost a race decides about the same row", byRace, wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
			var row *segment.Row
			return c.Change(ctx, tag, func(r *segment.Row) error {
				if row == nil {
					read := copied(r)
					row = &read
				}
				*r = copied(row)
				return decide(r)
			})
		}}},
		mistake{"ten races are enough", byRaces, wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
			runs := 0
			return c.Change(ctx, tag, func(r *segment.Row) error {
				if runs++; runs > 10 {
					return retry.Transient(errors.New("gave up"))
				}
				return decide(r)
			})
		}}},
		mistake{"a call that meets another fails for good", byCreators, func() wrong {
			var busy atomic.Bool
			return returns(func(ctx context.Context, call func(context.Context) error, _ *error) error {
				if !busy.CompareAndSwap(false, true) {
					return errors.New("deadlock found when trying to get lock")
				}
				defer busy.Store(false)
				return call(ctx)
			})
		}()},
		mistake{"a client of one goroutine", byDraws, oneGoroutine()},
		mistake{"two creators are two rows", byCreators, creatingTwice()},
		mistake{"races whatever the context", byRaces, wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
			return c.Change(context.WithoutCancel(ctx), tag, func(r *segment.Row) error {
				time.Sleep(time.Millisecond) // of the time that synctest makes
				return decide(r)
			})
		}}},
		mistake{"does not look at the context", byContexts, returns(func(ctx context.Context, call func(context.Context) error, _ *error) error {
			return call(context.WithoutCancel(ctx))
		})},
		mistake{"Rows do not look at the context", byContexts, wrong{rows: func(c *Client, ctx context.Context, after string, most int) ([]segment.Row, error) {
			return c.Rows(context.WithoutCancel(ctx), after, most)
		}}},
		mistake{"waits for a lock whatever the context", byContexts, locking(func(ctx context.Context, call func(context.Context) error) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return call(context.WithoutCancel(ctx))
		})},
		mistake{"goes on after the context has ended", byContexts, locking(func(ctx context.Context, call func(context.Context) error) error {
			done := make(chan error, 1)
			go func() { done <- call(context.WithoutCancel(ctx)) }()
			select {
			case err := <-done:
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		})},
		mistake{"the end of a context is an error for good", byContexts, returns(func(ctx context.Context, call func(context.Context) error, _ *error) error {
			err := call(ctx)
			if err != nil && ctx.Err() != nil {
				return errors.New("i/o timeout")
			}
			return err
		})},
		mistake{"Rows wait for whoever decides", byContexts, func() wrong {
			lock := make(chan struct{}, 1)
			return wrong{
				change: func(c *Client, ctx context.Context, tag string, decide decision) error {
					return c.Change(ctx, tag, func(r *segment.Row) error {
						select {
						case lock <- struct{}{}:
							defer func() { <-lock }()
						default:
						}
						return decide(r)
					})
				},
				rows: func(c *Client, ctx context.Context, after string, most int) ([]segment.Row, error) {
					lock <- struct{}{}
					defer func() { <-lock }()
					return c.Rows(ctx, after, most)
				},
			}
		}()},
		mistake{"looks see what is old", byValues, cached()},
		mistake{"looks see what is old, in a history", byHistories, cached()},
		mistake{"looks see what is old after writes were lost", byLost, cached()},
	)
}

// guarded stores a row if what is there is the same as what was read, in this sense.
func guarded(same func(now, read *segment.Row) bool) wrong {
	return wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
		for {
			read := c.m.Row(tag)
			row := copied(&read)
			// For the context and the fault. What it decides is stored by the guard.
			err := c.Change(ctx, tag, func(*segment.Row) error {
				if err := decide(&row); err != nil {
					return err
				}
				row.Fresh = false
				if err := row.Check(); err != nil {
					return err
				}
				return errSkip
			})
			if !errors.Is(err, errSkip) {
				return err
			}
			if c.m.replace(row, func(now *segment.Row) bool { return same(now, &read) }) {
				return nil
			}
		}
	}}
}

// replace stores a row if the one that is there is as wanted.
func (m *Memory) replace(row segment.Row, wanted func(now *segment.Row) bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.record(row.Tag)
	if !wanted(&now.Row) {
		return false
	}
	m.store(record{Row: copied(&row)})
	return true
}

// locking makes calls one after another, with what is wrong around each.
func locking(f func(ctx context.Context, call func(context.Context) error) error) wrong {
	lock := make(chan struct{}, 1)
	return wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
		return f(ctx, func(ctx context.Context) error {
			select {
			case lock <- struct{}{}:
				defer func() { <-lock }()
			case <-ctx.Done():
				return ended(ctx)
			}
			return c.Change(ctx, tag, decide)
		})
	}}
}

// oneGoroutine guards what its client has read last, on whatever goroutine that was.
func oneGoroutine() wrong {
	var reads sync.Map // by client
	return wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
		for {
			row := c.m.Row(tag)
			reads.Store(c, copied(&row))
			if err := decide(&row); err != nil {
				return err
			}
			row.Fresh = false
			read, _ := reads.Load(c)
			if c.m.replace(row, func(now *segment.Row) bool { r := read.(segment.Row); return r.Equal(now) }) {
				return nil
			}
		}
	}}
}

// creatingTwice creates a row once more, where another client has done so since.
func creatingTwice() wrong {
	return wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
		var row segment.Row
		err := c.Change(ctx, tag, func(r *segment.Row) error {
			if row.Step > 0 {
				return errSkip
			}
			fresh := r.Fresh
			err := decide(r)
			if fresh && err == nil {
				row = copied(r)
			}
			return err
		})
		if errors.Is(err, errSkip) {
			c.m.SetRow(row)
			return nil
		}
		return err
	}}
}

// cached offers a client's looks rows as the client saw them last; only what they write is
// checked.
func cached() wrong {
	var rows sync.Map // by client and tag
	type key struct {
		c   *Client
		tag string
	}
	return wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
		if r, found := rows.Load(key{c, tag}); found {
			r := r.(segment.Row)
			r = copied(&r)
			if err := decide(&r); err != nil {
				return err
			}
		}
		return c.Change(ctx, tag, func(r *segment.Row) error {
			rows.Store(key{c, tag}, copied(r))
			return decide(r)
		})
	}}
}
