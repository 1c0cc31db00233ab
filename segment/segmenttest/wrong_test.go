package segmenttest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/segment"
)

type decision = func(*segment.Row) error

// A wrong store is a Memory's, but for what is replaced here.
type wrong struct {
	*Client
	change  func(c *Client, ctx context.Context, tag string, decide decision) error
	rows    func(c *Client, ctx context.Context, after string, most int) ([]segment.Row, error)
	inspect func(c *Client) ([]string, error)
	name    func() string
}

func (w wrong) Change(ctx context.Context, tag string, decide decision) error {
	if w.change != nil {
		return w.change(w.Client, ctx, tag, decide)
	}
	return w.Client.Change(ctx, tag, decide)
}

func (w wrong) Rows(ctx context.Context, after string, most int) ([]segment.Row, error) {
	if w.rows != nil {
		return w.rows(w.Client, ctx, after, most)
	}
	return w.Client.Rows(ctx, after, most)
}

func (w wrong) Inspect(ctx context.Context) ([]string, error) {
	if w.inspect != nil {
		return w.inspect(w.Client)
	}
	return w.Client.Inspect(ctx)
}

func (w wrong) Name() string {
	if w.name != nil {
		return w.name()
	}
	return w.Client.Name()
}

// writes is wrong in what it writes.
func writes(f func(*segment.Row)) wrong {
	return decides(func(r *segment.Row, decide func() error) error {
		err := decide()
		if err == nil {
			f(r)
		}
		return err
	})
}

// decides is wrong in how it lets decide run.
func decides(f func(r *segment.Row, decide func() error) error) wrong {
	return wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
		return c.Change(ctx, tag, func(r *segment.Row) error { return f(r, func() error { return decide(r) }) })
	}}
}

// returns is wrong in what it makes of a whole call: call makes it, with what decide returned
// last in decided.
func returns(f func(ctx context.Context, call func(context.Context) error, decided *error) error) wrong {
	return wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
		var decided error
		return f(ctx, func(ctx context.Context) error {
			return c.Change(ctx, tag, func(r *segment.Row) error {
				decided = decide(r)
				return decided
			})
		}, &decided)
	}}
}

// lists is wrong in what Rows returns.
func lists(f func(rows []segment.Row) []segment.Row) wrong {
	return wrong{rows: func(c *Client, ctx context.Context, after string, most int) ([]segment.Row, error) {
		rows, err := c.Rows(ctx, after, most)
		return f(rows), err
	}}
}

// renames is wrong in where it keeps rows.
func renames(f func(tag string) string) wrong {
	return wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
		return c.Change(ctx, f(tag), func(r *segment.Row) error {
			stored := r.Tag
			r.Tag = tag
			defer func() { r.Tag = stored }()
			return decide(r)
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

const (
	byValues    = "rows keep their values"
	byTags      = "tags are apart"
	byLower     = "a number that is lowered by hand"
	byLetters   = "letters of tags"
	byName      = "name and settings"
	byPages     = "rows in pages"
	byFresh     = "a row that is not there"
	byRefusal   = "a refused decision stores nothing"
	byNoRow     = "what is no row is refused"
	byCreators  = "creators at once"
	byRace      = "a race is decided anew"
	byRaces     = "many races"
	byContexts  = "contexts"
	byDraws     = "many draw at once"
	byForeign   = "foreign draws"
	byFailures  = "draws that fail"
	byOpen      = "open outcomes are left alone"
	byLate      = "late writes"
	byLost      = "lost writes"
	byHistories = "histories"
)

// mistakes are made anew for each test: some have a memory, or a lock.
func mistakes() []mistake {
	return slices.Concat(wrongValues(), wrongRows(), wrongDecisions(), wrongAtOnce(), wrongFaults())
}

// catch runs the check that is there for a wrong store, on a Subject that make makes. Nothing
// waits in real time: decisions meet, and calls that never return are caught, however busy the
// machine is.
func catch(t *testing.T, name string, make func() Subject) {
	t.Helper()
	i := slices.IndexFunc(checks, func(c check) bool { return c.Name == name })
	require.GreaterOrEqual(t, i, 0, "no check is called %q", name)
	synctest.Test(t, func(t *testing.T) {
		p := newProbe(t.Context(), suite.Settings{Histories: 50, Seed: 1}.OrDefaults(), make())
		p.Try(func() { checks[i].Run(p) })
		require.NotEmpty(t, p.Found())
		t.Log(p.Found()[0])
	})
}

// Each wrong store is caught by the check that is there for it.
func TestWrongStores(t *testing.T) {
	t.Parallel()
	for i, m := range mistakes() {
		t.Run(m.name, func(t *testing.T) {
			catch(t, m.caught, func() Subject {
				memory, wrongs := NewMemory(), mistakes()[i].store
				s := subject(memory)
				s.Open = func() (segment.Store, error) {
					w := wrongs
					w.Client = memory.Client()
					return w, nil
				}
				s.Fault = func(store segment.Store, f Fault) bool { store.(wrong).faults.Set(f); return true }
				return s
			})
		})
	}
}

// The same for what is wrong behind the clients: how a write knows that nobody has written since.
func TestWrongServers(t *testing.T) {
	t.Parallel()
	for _, m := range misdeeds() {
		t.Run(m.name, func(t *testing.T) {
			catch(t, m.caught, func() Subject {
				memory := NewMemory()
				s := subject(memory)
				m.make(memory, &s)
				return s
			})
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
		require.Positive(t, catches[c.Name], c.Name)
	}
}
