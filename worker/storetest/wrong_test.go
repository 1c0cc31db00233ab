package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker/lease"
)

type (
	takeDecision   = func(*lease.Namespace, *lease.Row, lease.Clock) error
	changeDecision = func(*lease.Row, lease.Clock) error
	initDecision   = func(*lease.Namespace, lease.Clock) error
)

// A wrong store is a Memory's, but for what is replaced here.
type wrong struct {
	*Client
	take    func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error
	change  func(c *Client, ctx context.Context, id int64, decide changeDecision) error
	init    func(c *Client, ctx context.Context, decide initDecision) error
	inspect func(c *Client) ([]string, error)
	name    string
	named   func(c *Client) string
}

func (w wrong) Take(ctx context.Context, wants lease.Wanted, decide takeDecision) error {
	if w.take != nil {
		return w.take(w.Client, ctx, wants, decide)
	}
	return w.Client.Take(ctx, wants, decide)
}

func (w wrong) Change(ctx context.Context, id int64, decide changeDecision) error {
	if w.change != nil {
		return w.change(w.Client, ctx, id, decide)
	}
	return w.Client.Change(ctx, id, decide)
}

func (w wrong) Init(ctx context.Context, decide initDecision) error {
	if w.init != nil {
		return w.init(w.Client, ctx, decide)
	}
	return w.Client.Init(ctx, decide)
}

func (w wrong) Inspect(ctx context.Context) ([]string, error) {
	if w.inspect != nil {
		return w.inspect(w.Client)
	}
	return w.Client.Inspect(ctx)
}

func (w wrong) Name() string {
	if w.named != nil {
		return w.named(w.Client)
	}
	return cmp.Or(w.name, w.Client.Name())
}

// writes is wrong in what it writes. Of n and r, one may be nil.
func writes(f func(n *lease.Namespace, r *lease.Row)) wrong {
	return decides(func(n *lease.Namespace, r *lease.Row, _ *lease.Clock, decide func() error) error {
		err := decide()
		if err == nil {
			f(n, r)
		}
		return err
	})
}

// reads is wrong in what it offers.
func reads(f func(n *lease.Namespace, r *lease.Row, now *lease.Clock)) wrong {
	return decides(func(n *lease.Namespace, r *lease.Row, now *lease.Clock, decide func() error) error {
		f(n, r, now)
		return decide()
	})
}

func row(f func(r *lease.Row)) func(*lease.Namespace, *lease.Row) {
	return func(_ *lease.Namespace, r *lease.Row) {
		if r != nil {
			f(r)
		}
	}
}

func namespace(f func(n *lease.Namespace)) func(*lease.Namespace, *lease.Row) {
	return func(n *lease.Namespace, _ *lease.Row) {
		if n != nil {
			f(n)
		}
	}
}

// decides is wrong in how it lets decide run. Change's decisions about no row are as they are.
func decides(f func(n *lease.Namespace, r *lease.Row, now *lease.Clock, decide func() error) error) wrong {
	return wrong{
		take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			return c.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				return f(n, r, &now, func() error { return decide(n, r, now) })
			})
		},
		change: func(c *Client, ctx context.Context, id int64, decide changeDecision) error {
			return c.Change(ctx, id, func(r *lease.Row, now lease.Clock) error {
				if r == nil {
					return decide(r, now)
				}
				return f(nil, r, &now, func() error { return decide(r, now) })
			})
		},
		init: func(c *Client, ctx context.Context, decide initDecision) error {
			return c.Init(ctx, func(n *lease.Namespace, now lease.Clock) error {
				return f(n, nil, &now, func() error { return decide(n, now) })
			})
		},
	}
}

// returns is wrong in what it makes of a whole call: call makes it, with what decide returned
// last in decided.
func returns(f func(ctx context.Context, c *Client, call func(context.Context) error, decided *error) error) wrong {
	return wrong{
		take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			var decided error
			return f(ctx, c, func(ctx context.Context) error {
				return c.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
					decided = decide(n, r, now)
					return decided
				})
			}, &decided)
		},
		change: func(c *Client, ctx context.Context, id int64, decide changeDecision) error {
			var decided error
			return f(ctx, c, func(ctx context.Context) error {
				return c.Change(ctx, id, func(r *lease.Row, now lease.Clock) error {
					decided = decide(r, now)
					return decided
				})
			}, &decided)
		},
		init: func(c *Client, ctx context.Context, decide initDecision) error {
			var decided error
			return f(ctx, c, func(ctx context.Context) error {
				return c.Init(ctx, func(n *lease.Namespace, now lease.Clock) error {
					decided = decide(n, now)
					return decided
				})
			}, &decided)
		},
	}
}

// wants is wrong about what it is asked for.
func wants(f func(w *lease.Wanted)) wrong {
	return wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
		f(&w)
		return c.Take(ctx, w, decide)
	}}
}

// picks is wrong in which row it picks, out of those in the range, by their IDs.
func picks(f func(s *space, rows []record[lease.Row], w lease.Wanted, now lease.Clock) (record[lease.Row], error)) wrong {
	return wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
		return c.transact(ctx, func(s *space) (change, error) {
			if s.namespace == nil {
				return change{}, c.missing()
			}
			var rows []record[lease.Row]
			for _, id := range slices.Sorted(maps.Keys(s.rows)) {
				if id >= w.IDs.First && id <= w.IDs.Last {
					rows = append(rows, s.rows[id])
				}
			}
			row, err := f(s, rows, w, c.m.now())
			if err != nil {
				return change{}, err
			}
			namespace := *s.namespace
			return change{s, &namespace, &row, row.value.WorkerID}, nil
		}, func(ch change, now lease.Clock) error { return decide(&ch.namespace.value, &ch.row.value, now) })
	}}
}

// best is the row that is over, and can be had, which is before all others.
func best(rows []record[lease.Row], w lease.Wanted, now time.Time, before func(a, b lease.Row) bool) (row record[lease.Row], found bool) {
	for _, r := range rows {
		over := r.value.Until.Add(w.Rest).Before(now) && r.value.High <= w.Highest(now)
		if over && (!found || before(r.value, row.value)) {
			row, found = r, true
		}
	}
	return row, found
}

func fresh(id int64) record[lease.Row] {
	return record[lease.Row]{value: lease.Row{WorkerID: id, High: -1, Fresh: true}}
}

// The guards that are left out: what is read is not locked, and what is written is written.
func unguardedTake(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
	return lookThenTake(c, ctx, w, decide, func(n lease.Namespace, r lease.Row) error {
		c.m.SetNamespace(c.namespace, n)
		c.m.SetRow(c.namespace, r)
		return nil
	})
}

func lookThenTake(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision, write func(lease.Namespace, lease.Row) error) error {
	var namespace lease.Namespace
	var row lease.Row
	var clock lease.Clock
	err := c.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
		namespace, row, clock = *n, *r, now
		return errLook
	})
	if !errors.Is(err, errLook) {
		return err
	}
	if err := decide(&namespace, &row, clock); err != nil {
		return err
	}
	return write(namespace, row)
}

func unguardedChange(c *Client, ctx context.Context, id int64, decide changeDecision) error {
	var row lease.Row
	var found bool
	var clock lease.Clock
	err := c.Change(ctx, id, func(r *lease.Row, now lease.Clock) error {
		if found, clock = r != nil, now; found {
			row = *r
		}
		return errLook
	})
	switch {
	case !errors.Is(err, errLook):
		return err
	case !found:
		return decide(nil, clock)
	}
	if err := decide(&row, clock); err != nil {
		return err
	}
	c.m.SetRow(c.namespace, row)
	return nil
}

func unguardedInit(c *Client, ctx context.Context, decide initDecision) error {
	var namespace lease.Namespace
	var clock lease.Clock
	err := c.Init(ctx, func(n *lease.Namespace, now lease.Clock) error {
		namespace, clock = *n, now
		return errLook
	})
	if !errors.Is(err, errLook) {
		return err
	}
	if err := decide(&namespace, clock); err != nil {
		return err
	}
	c.m.SetNamespace(c.namespace, namespace)
	return nil
}

// cached offers a client's decisions rows as the client saw them last; only what they write is
// checked.
func cached() wrong {
	var rows sync.Map // by client and worker ID
	type key struct {
		c  *Client
		id int64
	}
	return wrong{change: func(c *Client, ctx context.Context, id int64, decide changeDecision) error {
		if r, found := rows.Load(key{c, id}); found {
			r := r.(lease.Row)
			if err := decide(&r, c.m.now()); err != nil {
				return err
			}
		}
		return c.Change(ctx, id, func(r *lease.Row, now lease.Clock) error {
			if r != nil {
				rows.Store(key{c, id}, *r)
			}
			return decide(r, now)
		})
	}}
}

// isLost reports whether a call's outcome is open for a fault.
func isLost(err error) bool { return errors.Is(err, errLost) }

// A mistake is a wrong store, and the check that catches it.
type mistake struct {
	name   string
	caught string
	store  wrong
}

func truncated(t *time.Time) { *t = t.Truncate(time.Millisecond) }

var errSkip = errors.New("skipped")

const (
	byRows       = "rows keep their values"
	byNamespaces = "namespaces keep their values"
	byNames      = "names and settings"
	byInit       = "Init makes a namespace once"
	byAgain      = "Init after the namespace was lost"
	byInits      = "Init at once"
	byMissing    = "nothing makes a namespace but Init"
	byApart      = "namespaces are apart"
	byLongest    = "Take offers what is over for longest"
	byRest       = "Take waits for Rest"
	byUsable     = "Take passes over ticks of the future"
	byUnused     = "Take offers unused IDs"
	byNone       = "Take says when none is free"
	byBoth       = "Take stores both or nothing"
	byChange     = "Change of a row"
	byNoRow      = "Change of no row"
	byTakes      = "Takes at once"
	byChanges    = "Changes at once"
	byClock      = "the clock is read last"
	byContexts   = "contexts end waits"
	byLate       = "late writes"
	byLost       = "lost writes"
	byOpen       = "open outcomes are left alone"
	byHistories  = "histories"
)

// mistakes are made anew for each test: some have a memory.
func mistakes() []mistake {
	return []mistake{
		// What is kept of the values.
		{"Until in milliseconds", byRows, writes(row(func(r *lease.Row) { truncated(&r.Until) }))},
		{"Acquired in milliseconds", byRows, writes(row(func(r *lease.Row) { truncated(&r.Acquired) }))},
		{"Renewed in milliseconds", byRows, writes(row(func(r *lease.Row) { truncated(&r.Renewed) }))},
		{"forgets Acquired", byRows, writes(row(func(r *lease.Row) { r.Acquired = r.Renewed }))},
		{"years up to 2262", byRows, writes(row(func(r *lease.Row) { r.Renewed = time.Unix(0, r.Renewed.UnixNano()) }))},
		{"a Holder of 127 characters", byRows, writes(row(func(r *lease.Row) { r.Holder = string([]rune(r.Holder)[:min(127, len([]rune(r.Holder)))]) }))},
		{"a Holder of 128 bytes", byRows, writes(row(func(r *lease.Row) { r.Holder = r.Holder[:min(128, len(r.Holder))] }))},
		{"a Holder of three bytes a character", byRows, writes(row(func(r *lease.Row) { r.Holder = strings.ReplaceAll(r.Holder, "\U0001F984", "?") }))},
		{"a Holder without spaces at the end", byRows, writes(row(func(r *lease.Row) { r.Holder = strings.TrimRight(r.Holder, " ") }))},
		{"a Layout of 254 bytes", byRows, writes(row(func(r *lease.Row) { r.Layout = r.Layout[:min(254, len(r.Layout))] }))},
		{"nonces in small letters", byRows, writes(row(func(r *lease.Row) { r.Nonce = strings.ToLower(r.Nonce) }))},
		{"no High below 0", byRows, writes(row(func(r *lease.Row) { r.High = max(r.High, 0) }))},
		{"High as a floating point number", byRows, writes(row(func(r *lease.Row) {
			if r.High < math.MaxInt64 {
				r.High = int64(float64(r.High))
			}
		}))},
		{"forgets Reach", byRows, writes(row(func(r *lease.Row) { r.Reach = 0 }))},
		{"Reach in milliseconds", byRows, writes(row(func(r *lease.Row) { r.Reach = r.Reach.Truncate(time.Millisecond) }))},
		{"times of rows in local time", byRows, reads(func(_ *lease.Namespace, r *lease.Row, _ *lease.Clock) {
			if r != nil {
				r.Until = r.Until.In(time.FixedZone("", 3600))
			}
		})},
		{"a clock in nanoseconds", byRows, reads(func(_ *lease.Namespace, _ *lease.Row, now *lease.Clock) { now.Now = now.Now.Add(1) })},
		{"a clock in local time", byRows, reads(func(_ *lease.Namespace, _ *lease.Row, now *lease.Clock) {
			now.Now = now.Now.In(time.FixedZone("", 3600))
		})},
		{"a clock with an Error below 0", byRows, reads(func(_ *lease.Namespace, _ *lease.Row, now *lease.Clock) { now.Error = -1 })},
		{"a namespace's Rest in milliseconds", byNamespaces, writes(namespace(func(n *lease.Namespace) { truncated(&n.Rest) }))},
		{"Made in milliseconds", byNamespaces, writes(namespace(func(n *lease.Namespace) { truncated(&n.Made) }))},
		{"a namespace's Renewed in milliseconds", byNamespaces, writes(namespace(func(n *lease.Namespace) { truncated(&n.Renewed) }))},
		{"no Floor below 0", byNamespaces, writes(namespace(func(n *lease.Namespace) { n.Floor = max(n.Floor, 0) }))},
		{"forgets a namespace's Reach", byNamespaces, writes(namespace(func(n *lease.Namespace) { n.Reach = 0 }))},
		{"forgets a namespace's Layout", byNamespaces, writes(namespace(func(n *lease.Namespace) { n.Layout = "" }))},
		{"Take writes only the row", byNamespaces, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			return c.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				shown := *n
				return decide(&shown, r, now)
			})
		}}},
		{"Take writes only the namespace", byRows, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			return c.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				shown := *r
				return decide(n, &shown, now)
			})
		}}},

		// Names, settings, secrets.
		{"a Name without the namespace", byNames, wrong{name: "somewhere"}},
		{"a Name of each client's own", byNames, wrong{named: func(c *Client) string { return fmt.Sprintf("%s of %p", c.namespace, c) }}},
		{"a Name with the secret", byNames, wrong{name: "suite-1 by tiger"}},
		{"Inspect tells the secret", byNames, wrong{inspect: func(*Client) ([]string, error) { return []string{"tiger may lose writes"}, nil }}},
		{"Inspect fails where nothing is", byNames, wrong{inspect: func(c *Client) ([]string, error) {
			if _, found := c.m.Namespace(c.namespace); !found {
				return nil, c.missing()
			}
			return nil, nil
		}}},
		{"Inspect makes the namespace", byNames, wrong{inspect: func(c *Client) ([]string, error) {
			if _, found := c.m.Namespace(c.namespace); !found {
				c.m.SetNamespace(c.namespace, lease.Namespace{Floor: -1})
			}
			return nil, nil
		}}},
		{"errors tell the secret", byOpen, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, _ *error) error {
			err := call(ctx)
			if retry.IsTransient(err) {
				return fmt.Errorf("dial root:tiger@db: %w", err)
			}
			return err
		})},
		{"errors tell the secret further down", byOpen, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, _ *error) error {
			err := call(ctx)
			if retry.IsTransient(err) {
				return &hidden{errors.Join(err, errors.New("root:tiger@db"))}
			}
			return err
		})},

		// Who makes a namespace.
		{"Take makes the namespace", byMissing, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			if _, found := c.m.Namespace(c.namespace); !found {
				c.m.SetNamespace(c.namespace, lease.Namespace{Floor: -1})
			}
			return c.Take(ctx, w, decide)
		}}},
		{"Take makes a namespace that it does not use", byMissing, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			err := c.Take(ctx, w, decide)
			if errors.Is(err, errMissing) {
				c.m.SetNamespace(c.namespace, lease.Namespace{Floor: -1})
			}
			return err
		}}},
		{"Change finds no row in no namespace", byMissing, wrong{change: func(c *Client, ctx context.Context, id int64, decide changeDecision) error {
			if _, found := c.m.Namespace(c.namespace); !found {
				return decide(nil, c.m.now())
			}
			return c.Change(ctx, id, decide)
		}}},
		{"a missing namespace is an error of its own", byMissing, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, _ *error) error {
			err := call(ctx)
			if errors.Is(err, errMissing) {
				return errors.New("no such table")
			}
			return err
		})},
		{"Init makes what decide refused", byInit, wrong{init: func(c *Client, ctx context.Context, decide initDecision) error {
			var refused error
			err := c.Init(ctx, func(n *lease.Namespace, now lease.Clock) error {
				was := *n
				if refused = decide(n, now); refused != nil {
					*n = was
				}
				return nil
			})
			return cmp.Or(refused, err)
		}}},
		{"Init always makes", byInit, reads(func(n *lease.Namespace, r *lease.Row, _ *lease.Clock) {
			if n != nil && r == nil {
				*n = lease.Namespace{Floor: -1, Fresh: true, Used: n.Used}
			}
		})},
		{"Init never says that it is Fresh", byInit, reads(func(n *lease.Namespace, _ *lease.Row, _ *lease.Clock) {
			if n != nil {
				n.Fresh = false
			}
		})},
		{"Init never says that it is Used", byInit, reads(func(n *lease.Namespace, _ *lease.Row, _ *lease.Clock) {
			if n != nil {
				n.Used = false
			}
		})},
		{"Init leaves what is there", byInit, wrong{init: func(c *Client, ctx context.Context, decide initDecision) error {
			return c.Init(ctx, func(n *lease.Namespace, now lease.Clock) error {
				was := *n
				err := decide(n, now)
				if !was.Fresh {
					*n = was
				}
				return err
			})
		}}},
		{"Init counts the Reach anew each time", byInit, reads(func(n *lease.Namespace, r *lease.Row, _ *lease.Clock) {
			if n != nil && r == nil && n.Used {
				n.Reach = time.Hour
			}
		})},
		{"a new namespace has a Floor of 0", byInit, reads(func(n *lease.Namespace, _ *lease.Row, _ *lease.Clock) {
			if n != nil && n.Fresh {
				n.Floor = 0
			}
		})},
		{"a namespace made anew is not Used", byAgain, reads(func(n *lease.Namespace, _ *lease.Row, _ *lease.Clock) {
			if n != nil && n.Fresh {
				n.Used = false
			}
		})},
		{"a namespace made anew has no Reach", byAgain, reads(func(n *lease.Namespace, _ *lease.Row, _ *lease.Clock) {
			if n != nil && n.Fresh {
				n.Reach = 0
			}
		})},
		{"a namespace made anew loses its rows", byAgain, wrong{init: func(c *Client, ctx context.Context, decide initDecision) error {
			made := false
			err := c.Init(ctx, func(n *lease.Namespace, now lease.Clock) error { made = n.Fresh; return decide(n, now) })
			if err == nil && made {
				for id := range int64(10) {
					c.m.RemoveRow(c.namespace, id)
				}
			}
			return err
		}}},
		{"Take goes on in a namespace that was lost", byAgain, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			if _, found := c.m.Row(c.namespace, 0); found {
				if _, found := c.m.Namespace(c.namespace); !found {
					c.m.SetNamespace(c.namespace, lease.Namespace{Floor: -1})
				}
			}
			return c.Take(ctx, w, decide)
		}}},
		{"Init without a guard", byInits, wrong{init: unguardedInit}},

		// Which row Take offers.
		{"Take offers the lowest ID", byLongest, picks(func(s *space, rows []record[lease.Row], w lease.Wanted, now lease.Clock) (record[lease.Row], error) {
			if row, found := best(rows, w, now.Now, func(a, b lease.Row) bool { return a.WorkerID < b.WorkerID }); found {
				return row, nil
			}
			return s.free(w, now)
		})},
		{"Take offers what was released last", byLongest, picks(func(s *space, rows []record[lease.Row], w lease.Wanted, now lease.Clock) (record[lease.Row], error) {
			if row, found := best(rows, w, now.Now, func(a, b lease.Row) bool { return a.Until.After(b.Until) }); found {
				return row, nil
			}
			return s.free(w, now)
		})},
		{"Take offers only what was released", byLongest, picks(func(s *space, rows []record[lease.Row], w lease.Wanted, now lease.Clock) (record[lease.Row], error) {
			rows = slices.DeleteFunc(rows, func(r record[lease.Row]) bool { return r.value.Nonce != "" })
			if row, found := best(rows, w, now.Now, func(a, b lease.Row) bool { return a.Until.Before(b.Until) }); found {
				return row, nil
			}
			return s.free(w, now)
		})},
		{"Take offers IDs beyond the range", byLongest, wants(func(w *lease.Wanted) { w.IDs.Last += 10 })},
		{"Take offers IDs below the range", byUnused, wants(func(w *lease.Wanted) { w.IDs.First = 0 })},
		{"Take does not wait for Rest", byRest, wants(func(w *lease.Wanted) { w.Rest = 0 })},
		{"Take offers what is over for exactly Rest", byRest, wants(func(w *lease.Wanted) { w.Rest -= time.Microsecond })},
		{"Take offers what is held", byLongest, wants(func(w *lease.Wanted) { w.Rest -= 24 * time.Hour })},
		{"Take waits longer than Rest", byRest, wants(func(w *lease.Wanted) { w.Rest += 10 * time.Minute })},
		{"Take does not ask for Highest", byUsable, wants(func(w *lease.Wanted) { w.Highest = func(time.Time) int64 { return math.MaxInt64 } })},
		{"Take wants ticks below Highest", byUsable, wants(func(w *lease.Wanted) {
			highest := w.Highest
			w.Highest = func(now time.Time) int64 { return max(highest(now), math.MinInt64+1) - 1 }
		})},
		{"Take asks for Highest by no clock", byUsable, wants(func(w *lease.Wanted) {
			highest := w.Highest
			w.Highest = func(time.Time) int64 { return highest(time.Time{}) }
		})},
		{"Take knows no last resort", byUsable, decides(func(n *lease.Namespace, r *lease.Row, now *lease.Clock, decide func() error) error {
			return decide()
		}).withTake(func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			return c.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				if r.High > w.Highest(now.Now) {
					return lease.NoneFree(w.IDs, now.Now)
				}
				return decide(n, r, now)
			})
		})},
		{"Take offers ticks of the future before an unused ID", byUsable, picks(func(s *space, rows []record[lease.Row], w lease.Wanted, now lease.Clock) (record[lease.Row], error) {
			any := w
			any.Highest = func(time.Time) int64 { return math.MaxInt64 }
			for _, w := range []lease.Wanted{w, any} {
				if row, found := best(rows, w, now.Now, func(a, b lease.Row) bool { return a.Until.Before(b.Until) }); found {
					return row, nil
				}
			}
			return s.free(w, now)
		})},
		{"Take offers unused IDs first", byUnused, picks(func(s *space, rows []record[lease.Row], w lease.Wanted, now lease.Clock) (record[lease.Row], error) {
			for id := w.IDs.First; id <= w.IDs.Last && id < w.IDs.First+100; id++ {
				if _, found := s.rows[id]; !found {
					return fresh(id), nil
				}
			}
			return s.free(w, now)
		})},
		{"Take offers the lowest unused ID", byUnused, picks(func(s *space, rows []record[lease.Row], w lease.Wanted, now lease.Clock) (record[lease.Row], error) {
			row, err := s.free(w, now)
			if row.value.Fresh {
				row.value.WorkerID = w.IDs.First
				for s.rows[row.value.WorkerID].version != 0 {
					row.value.WorkerID++
				}
			}
			return row, err
		})},
		{"Take finds no gap", byUnused, picks(func(s *space, rows []record[lease.Row], w lease.Wanted, now lease.Clock) (record[lease.Row], error) {
			row, err := s.free(w, now)
			if n := len(rows); n > 0 && row.value.Fresh && row.value.WorkerID < rows[n-1].value.WorkerID {
				return row, lease.NoneFree(w.IDs, now.Now)
			}
			return row, err
		})},
		{"Take counts rows for the next ID", byUnused, picks(func(s *space, rows []record[lease.Row], w lease.Wanted, now lease.Clock) (record[lease.Row], error) {
			row, err := s.free(w, now)
			if row.value.Fresh {
				row.value.WorkerID = w.IDs.First + int64(len(rows))
			}
			return row, err
		})},
		{"Take is blocked by a row above the range", byUnused, picks(func(s *space, rows []record[lease.Row], w lease.Wanted, now lease.Clock) (record[lease.Row], error) {
			row, err := s.free(w, now)
			if top := slices.Max(append(slices.Collect(maps.Keys(s.rows)), 0)); row.value.Fresh && top > w.IDs.Last {
				return row, lease.NoneFree(w.IDs, now.Now)
			}
			return row, err
		})},
		{"an unused ID has a High of 0", byUnused, reads(func(_ *lease.Namespace, r *lease.Row, _ *lease.Clock) {
			if r != nil && r.Fresh {
				r.High = 0
			}
		})},
		{"an unused ID is not Fresh", byUnused, reads(func(_ *lease.Namespace, r *lease.Row, _ *lease.Clock) {
			if r != nil {
				r.Fresh = false
			}
		})},
		{"none free is told without Rest", byNone, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			err := c.Take(ctx, w, decide)
			if err != nil && w.Rest == time.Hour {
				w.Rest = 0
				return c.Take(ctx, w, decide)
			}
			return err
		}}},
		{"none free is told of all IDs", byNone, wants(func(w *lease.Wanted) { w.IDs.Last++ })},
		{"none free is an error of its own", byNone, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			err := c.Take(ctx, w, decide)
			if err != nil && !errors.Is(err, errMissing) && !errors.Is(err, errLook) {
				return errors.New("no rows in result set")
			}
			return err
		}}},

		// What decide agrees to and refuses.
		{"Change stores what decide refused", byChange, wrong{change: func(c *Client, ctx context.Context, id int64, decide changeDecision) error {
			var refused error
			err := c.Change(ctx, id, func(r *lease.Row, now lease.Clock) error {
				if refused = decide(r, now); r == nil {
					return refused
				}
				return nil
			})
			return cmp.Or(refused, err)
		}}},
		{"Take stores what decide refused", byBoth, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			var refused error
			err := c.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				refused = decide(n, r, now)
				return nil
			})
			return cmp.Or(refused, err)
		}}},
		{"Take stores the Fresh row that decide refused", byBoth, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			var refused error
			err := c.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				wasN, wasR := *n, *r
				if refused = decide(n, r, now); refused != nil {
					*n, *r = wasN, wasR
				}
				return nil
			})
			return cmp.Or(refused, err)
		}}},
		{"Take stores the namespace that decide refused", byBoth, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			return c.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				err := decide(n, r, now)
				if err != nil {
					defer c.m.SetNamespace(c.namespace, *n)
				}
				return err
			})
		}}},
		{"decide's error is lost", byChange, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, decided *error) error {
			err := call(ctx)
			if *decided != nil {
				return nil
			}
			return err
		})},
		{"decide's error is told in other words", byChange, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, decided *error) error {
			err := call(ctx)
			if *decided != nil {
				return fmt.Errorf("storetest: %v", err)
			}
			return err
		})},
		{"Change offers an unused ID", byNoRow, wrong{change: func(c *Client, ctx context.Context, id int64, decide changeDecision) error {
			return c.Change(ctx, id, func(r *lease.Row, now lease.Clock) error {
				if r == nil {
					r = &lease.Row{WorkerID: id, High: -1, Fresh: true}
				}
				return decide(r, now)
			})
		}}},
		{"Change makes a row", byNoRow, wrong{change: func(c *Client, ctx context.Context, id int64, decide changeDecision) error {
			err := c.Change(ctx, id, decide)
			if _, found := c.m.Row(c.namespace, id); !found && !errors.Is(err, errMissing) {
				c.m.SetRow(c.namespace, lease.Row{WorkerID: id, High: -1})
			}
			return err
		}}},
		{"no write is stored", byInit, decides(func(_ *lease.Namespace, _ *lease.Row, _ *lease.Clock, decide func() error) error {
			return cmp.Or(decide(), errSkip)
		}).thenNil()},
		{"Change to a released row is not stored", byChange, wrong{change: func(c *Client, ctx context.Context, id int64, decide changeDecision) error {
			err := c.Change(ctx, id, func(r *lease.Row, now lease.Clock) error {
				released := r != nil && r.Nonce == ""
				if err := decide(r, now); err != nil || !released {
					return err
				}
				return errSkip
			})
			if errors.Is(err, errSkip) {
				return nil
			}
			return err
		}}},
		{"every fifth write is lost", byHistories, func() wrong {
			var n atomic.Int64
			return decides(func(_ *lease.Namespace, _ *lease.Row, _ *lease.Clock, decide func() error) error {
				if err := decide(); err != nil || n.Add(1)%5 != 0 {
					return err
				}
				return errSkip
			}).thenNil()
		}()},

		// What happens at once.
		{"Take without a lock: two win the same row", byTakes, wrong{take: unguardedTake}},
		{"Take guards the row and not the namespace", byTakes, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			return lookThenTake(c, ctx, w, decide, func(n lease.Namespace, r lease.Row) error {
				err := c.Take(ctx, lease.Wanted{IDs: lease.Range{First: r.WorkerID, Last: r.WorkerID}, Highest: w.Highest}, func(_ *lease.Namespace, now *lease.Row, _ lease.Clock) error {
					*now = r
					return nil
				})
				if err != nil {
					return retry.Transient(err)
				}
				c.m.SetNamespace(c.namespace, n)
				return nil
			})
		}}},
		{"Change without a guard: a write after the lease was lost", byChanges, wrong{change: unguardedChange}},
		{"Change without a guard, in a history", byHistories, wrong{change: unguardedChange}},
		{"Take without a lock, in a history", byHistories, wrong{take: unguardedTake}},
		{"Init without a guard, in a history", byHistories, wrong{init: unguardedInit}},
		{"a Change that is outdated is acknowledged", byChanges, wrong{change: func(c *Client, ctx context.Context, id int64, decide changeDecision) error {
			var was string
			var row *lease.Row
			err := c.Change(ctx, id, func(r *lease.Row, now lease.Clock) error {
				if r == nil {
					return decide(nil, now)
				}
				copied := *r
				row, was = &copied, r.Nonce
				return errLook
			})
			if row == nil || !errors.Is(err, errLook) {
				return err
			}
			if err := decide(row, c.m.now()); err != nil {
				return err
			}
			return c.Change(ctx, id, func(r *lease.Row, _ lease.Clock) error {
				if r.Nonce == was { // else UPDATE ... WHERE NONCE = ? changes no row, and nobody asks
					*r = *row
				}
				return nil
			})
		}}},
		{"refused decisions see what is old", byRows, cached()},
		{"refused decisions see what is old, in a history", byHistories, cached()},
		{"the clock is read before the lock", byClock, wrong{
			take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
				early := c.m.now()
				return c.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, _ lease.Clock) error { return decide(n, r, early) })
			},
		}},
		{"Change's clock is read before the lock", byClock, wrong{
			change: func(c *Client, ctx context.Context, id int64, decide changeDecision) error {
				early := c.m.now()
				return c.Change(ctx, id, func(r *lease.Row, _ lease.Clock) error { return decide(r, early) })
			},
		}},
		{"Init's clock is read before the lock", byClock, wrong{
			init: func(c *Client, ctx context.Context, decide initDecision) error {
				early := c.m.now()
				return c.Init(ctx, func(n *lease.Namespace, _ lease.Clock) error { return decide(n, early) })
			},
		}},
		{"a call that meets another fails for good", byChanges, func() wrong {
			var busy atomic.Bool
			return returns(func(ctx context.Context, _ *Client, call func(context.Context) error, _ *error) error {
				if !busy.CompareAndSwap(false, true) {
					return errors.New("deadlock found when trying to get lock")
				}
				defer busy.Store(false)
				return call(ctx)
			})
		}()},
		{"waits for a lock whatever the context", byContexts, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, _ *error) error {
			return call(context.WithoutCancel(ctx))
		})},
		{"goes on after the context has ended", byContexts, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, _ *error) error {
			done := make(chan error, 1)
			go func() { done <- call(context.WithoutCancel(ctx)) }()
			select {
			case err := <-done:
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		})},
		{"the end of a context is an error for good", byContexts, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, _ *error) error {
			err := call(ctx)
			if err != nil && ctx.Err() != nil {
				return errors.New("i/o timeout")
			}
			return err
		})},

		// What becomes of faults.
		{"a Take whose context ends stores the row alone", byBoth, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			return c.Take(context.WithoutCancel(ctx), w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				was := *n
				err := decide(n, r, now)
				if ctx.Err() != nil {
					*n = was
				}
				return err
			})
		}}},
		{"a Take that fails stores the namespace alone", byBoth, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			var namespace lease.Namespace
			err := c.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				err := decide(n, r, now)
				namespace = *n
				return err
			})
			if isLost(err) {
				c.m.SetNamespace(c.namespace, namespace)
			}
			return err
		}}},
		{"a Take that fails stores the row alone, in a history", byHistories, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			var row lease.Row
			err := c.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				err := decide(n, r, now)
				row = *r
				return err
			})
			if isLost(err) {
				c.m.SetRow(c.namespace, row)
			}
			return err
		}}},
		{"a call whose reply was lost is made again", byOpen, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, _ *error) error {
			err := call(ctx)
			if isLost(err) {
				return call(ctx)
			}
			return err
		})},
		{"a call whose reply was lost is made again, in a history", byHistories, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, _ *error) error {
			err := call(ctx)
			if isLost(err) {
				return call(ctx)
			}
			return err
		})},
		{"a call whose reply was lost is acknowledged", byOpen, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, _ *error) error {
			err := call(ctx)
			if isLost(err) {
				return nil
			}
			return err
		})},
		{"what may pass is not marked", byOpen, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, _ *error) error {
			err := call(ctx)
			if retry.IsTransient(err) {
				return errors.New(err.Error())
			}
			return err
		})},
	}
}

// hidden does not tell what it wraps.
type hidden struct{ err error }

func (h *hidden) Error() string { return "no connection" }
func (h *hidden) Unwrap() error { return h.err }

func (w wrong) withTake(take func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error) wrong {
	w.take = take
	return w
}

// thenNil acknowledges what was skipped.
func (w wrong) thenNil() wrong {
	ack := func(err error) error {
		if errors.Is(err, errSkip) {
			return nil
		}
		return err
	}
	take, change, init := w.take, w.change, w.init
	w.take = func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
		return ack(take(c, ctx, w, decide))
	}
	w.change = func(c *Client, ctx context.Context, id int64, decide changeDecision) error {
		return ack(change(c, ctx, id, decide))
	}
	w.init = func(c *Client, ctx context.Context, decide initDecision) error { return ack(init(c, ctx, decide)) }
	return w
}

// caught runs a check with a Subject and returns what it finds.
func caught(t *testing.T, name string, s Subject) []string {
	t.Helper()
	i := slices.IndexFunc(checks, func(c check) bool { return c.name == name })
	require.GreaterOrEqual(t, i, 0, "no check is called %q", name)
	cfg := Config{Histories: 50, Seed: 1, Patience: 2 * time.Millisecond, soon: 500 * time.Millisecond}
	if name == byClock {
		cfg.Patience = 20 * time.Millisecond // the other call has to begin meanwhile
	}
	p := newProbe(t.Context(), cfg.orDefaults(), s)
	checks[i].on(p)
	return p.found()
}

// Each wrong store is caught by the check that is there for it.
func TestWrongStores(t *testing.T) {
	t.Parallel()
	for _, m := range mistakes() {
		t.Run(m.name, func(t *testing.T) {
			clock := newHandClock()
			memory := NewMemory(MemoryConfig{Now: clock.Now})
			s := subject(memory, clock.Advance)
			s.Open = func(namespace string) (lease.Store, error) {
				w := m.store
				w.Client = memory.Store(namespace)
				return w, nil
			}
			s.Fault = func(store lease.Store, f Fault) bool { return fault(store.(wrong).Client, f) }
			found := caught(t, m.caught, s)
			require.NotEmpty(t, found)
			t.Log(found[0])
		})
	}
}

// The same for what is wrong with the store behind its clients.
func TestWrongServers(t *testing.T) {
	t.Parallel()
	named := func(f func(string) string) func(*Memory, *Subject) {
		return func(m *Memory, s *Subject) {
			s.Open = func(namespace string) (lease.Store, error) {
				return wrong{Client: m.Store(f(namespace)), name: namespace}, nil
			}
		}
	}
	deliver := func(newest func(*change) bool) func(*Memory, *Subject) {
		return func(m *Memory, s *Subject) {
			s.Deliver = func() {
				m.mu.Lock()
				defer m.mu.Unlock()
				for _, ch := range m.late {
					if newest(ch) {
						m.store(ch)
					}
				}
				m.late = nil
			}
		}
	}
	for _, test := range []struct {
		name   string
		caught string
		make   func(*Memory, *Subject)
	}{
		{"one namespace for all", byApart, named(func(string) string { return "all" })},
		{"namespaces in small letters", byApart, named(strings.ToLower)},
		{"namespaces of five letters", byApart, named(func(name string) string { return name[:min(5, len(name))] })},
		{"namespaces up to a dot", byApart, named(func(name string) string { name, _, _ = strings.Cut(name, "."); return name })},
		{"a late write replaces a newer one", byLate, deliver(func(*change) bool { return true })},
		{"a late write replaces a newer one, in a history", byHistories, deliver(func(*change) bool { return true })},
		{"a late write replaces a newer namespace", byLate, deliver(func(ch *change) bool {
			return ch.row == nil || ch.row.version == ch.space.rows[ch.id].version
		})},
		{"a late write replaces a newer row", byLate, deliver(func(ch *change) bool {
			return ch.namespace == nil || ch.space.namespace != nil && ch.namespace.version == ch.space.namespace.version
		})},
		{"acknowledged writes are lost", byHistories, func(m *Memory, s *Subject) {
			restore := m.Backup()
			s.Deliver = func() { restore(); restore = m.Backup() }
		}},
		{"versions come again after writes were lost", byLost, func(m *Memory, s *Subject) {
			s.Backup = func() (restore func()) {
				back := m.Backup()
				versions := map[*space]int64{}
				rows := map[*space]map[int64]record[lease.Row]{}
				for _, s := range m.spaces {
					versions[s], rows[s] = s.namespace.version, maps.Clone(s.rows)
				}
				return func() {
					back()
					for s, version := range versions {
						s.namespace.version, s.rows = version, rows[s]
					}
				}
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			clock := newHandClock()
			memory := NewMemory(MemoryConfig{Now: clock.Now, Versions: true})
			s := subject(memory, clock.Advance)
			test.make(memory, &s)
			open := s.Fault
			s.Fault = func(store lease.Store, f Fault) bool {
				if w, ok := store.(wrong); ok {
					store = w.Client
				}
				return open(store, f)
			}
			found := caught(t, test.caught, s)
			require.NotEmpty(t, found)
			t.Log(found[0])
		})
	}
}
