package storetest

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/worker/lease"
)

type (
	takeDecision   = func(*lease.Namespace, *lease.Row, lease.Clock) error
	changeDecision = func(*lease.Namespace, *lease.Row, lease.Clock) error
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
	durable func(c *Client) bool
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

func (w wrong) Durable() bool {
	if w.durable != nil {
		return w.durable(w.Client)
	}
	return w.Client.Durable()
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
			return c.Change(ctx, id, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				if r == nil {
					return decide(n, r, now)
				}
				return f(nil, r, &now, func() error { return decide(n, r, now) })
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
				return c.Change(ctx, id, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
					decided = decide(n, r, now)
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

// isLost reports whether a call's outcome is open for a fault.
func isLost(err error) bool { return errors.Is(err, errLost) }

// A mistake is a wrong store, and the check that catches it.
type mistake struct {
	name   string
	caught string
	store  wrong
}

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
	byWithin     = "Take keeps to the namespace's IDs"
	byNone       = "Take says when none is free"
	byBoth       = "Take stores both or nothing"
	byNew        = "Take makes new rows"
	byGaps       = "a row that vanished makes no ID new"
	byGrowth     = "new rows are all or nothing"
	byOverwrites = "no row is overwritten"
	byCrowd      = "new IDs at once"
	byChange     = "Change of a row"
	byBothRows   = "Change of the namespace"
	byHistory    = "History"
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
	return slices.Concat(wrongValues(), wrongNames(), wrongNamespaces(),
		wrongChoices(), wrongNews(), wrongDecisions(), wrongAtOnce(), wrongFaults())
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

// caught runs a check with a Subject and returns what it finds. Nothing waits in real time, so that
// decisions meet however busy the machine is.
func caught(t *testing.T, name string, s Subject) []string {
	t.Helper()
	return caughtBy(t, checks, name, s)
}

func caughtBy(t *testing.T, checks []check, name string, s Subject) []string {
	t.Helper()
	i := slices.IndexFunc(checks, func(c check) bool { return c.name == name })
	require.GreaterOrEqual(t, i, 0, "no check is called %q", name)
	var found []string
	synctest.Test(t, func(t *testing.T) {
		p := newProbe(t.Context(), suite.Settings{Histories: 50, Seed: 1}.OrDefaults(), s)
		p.Try(func() { checks[i].run(p) })
		found = p.Found()
	})
	return found
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

// A misdeed is of the store behind its clients.
type misdeed struct {
	name   string
	caught string
	make   func(*Memory, *Subject)
}

func misdeeds() []misdeed {
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
	return []misdeed{
		{"the history stays as it is when writes are lost", byLost, func(m *Memory, _ *Subject) { m.cfg.SameHistory = true }},
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
		{"a late write knows a row by its nonce alone", byLate, deliver(func(ch *change) bool {
			return ch.newest() || ch.row != nil && ch.row.version > 0 && ch.space.rows[ch.id].value.Nonce == ""
		})},
		{"a late write of a new ID does not look at the namespace", byLate, deliver(func(ch *change) bool {
			return ch.newest() || ch.row != nil && ch.row.version == 0 && ch.space.rows[ch.id].version == 0
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
					m.history--
					for s, version := range versions {
						s.namespace.version, s.rows = version, rows[s]
					}
				}
			}
		}},
	}
}

// The same for what is wrong with the store behind its clients.
func TestWrongServers(t *testing.T) {
	t.Parallel()
	for _, test := range misdeeds() {
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

// There is no check that nothing shows to be of use.
func TestEveryCheckCatches(t *testing.T) {
	t.Parallel()
	catches := map[string]int{}
	for _, m := range mistakes() {
		catches[m.caught]++
	}
	for _, m := range misdeeds() {
		catches[m.caught]++
	}
	for _, c := range checks {
		require.Positive(t, catches[c.name], c.name)
	}
}
