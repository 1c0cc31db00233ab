package segmenttest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/internal/suite/wrong"
	"github.com/uidgen/uid/segment"
)

type decision = func(*row) error

// A wrong store is a Memory's, but for what is replaced here.
type wrongStore struct {
	*Client
	call    func(k *call) error
	rows    func(c *Client, ctx context.Context, after string, most int) ([]row, error)
	inspect func(c *Client) ([]string, error)
	name    func() string
}

func (w wrongStore) Change(ctx context.Context, tag string, decide decision) error {
	k := &call{Call: wrong.Call{Ctx: ctx}, c: w.Client, tag: tag, decide: decide}
	k.Make = k.make
	if w.call == nil {
		return k.make(ctx)
	}
	return w.call(k)
}

func (w wrongStore) Rows(ctx context.Context, after string, most int) ([]row, error) {
	if w.rows != nil {
		return w.rows(w.Client, ctx, after, most)
	}
	return w.Client.Rows(ctx, after, most)
}

func (w wrongStore) Inspect(ctx context.Context) ([]string, error) {
	if w.inspect != nil {
		return w.inspect(w.Client)
	}
	return w.Client.Inspect(ctx)
}

func (w wrongStore) Name() string {
	if w.name != nil {
		return w.name()
	}
	return w.Client.Name()
}

// decides is wrong in how it lets decide run.
func decides(f func(r *row, decide func() error) error) wrongStore {
	return returns(func(k *call) error {
		decide := k.decide
		k.decide = func(r *row) error { return f(r, func() error { return decide(r) }) }
		if err := k.make(k.Ctx); !errors.Is(err, errSkip) {
			return err
		}
		return nil
	})
}

// errSkip is returned by decisions that are acknowledged, and not stored.
var errSkip = errors.New("skipped")

// A call is one that a wrong store makes of a right one.
type call struct {
	wrong.Call
	c      *Client
	tag    string
	decide decision
	read   row // the last run saw
	wrote  row
}

func (k *call) make(ctx context.Context) error {
	return k.c.Change(ctx, k.tag, func(r *row) error {
		k.read = copied(r)
		k.Decided = k.decide(r)
		k.wrote = copied(r)
		k.wrote.Fresh = false
		return k.Decided
	})
}

// returns is wrong in what it makes of a whole call.
func returns(f func(k *call) error) wrongStore { return wrongStore{call: f} }

// after is wrong in what it makes of a call that was made.
func after(f func(k *call, err error) error) wrongStore {
	return returns(func(k *call) error { return f(k, k.make(k.Ctx)) })
}

// lists is wrong in what Rows returns.
func lists(f func(c *Client, after string, most int, rows []row) []row) wrongStore {
	return wrongStore{rows: func(c *Client, ctx context.Context, after string, most int) ([]row, error) {
		rows, err := c.Rows(ctx, after, most)
		if err != nil {
			return nil, err
		}
		return f(c, after, most, rows), nil
	}}
}

// renames is wrong in where it keeps rows.
func renames(f func(tag string) string) wrongStore {
	return returns(func(k *call) error {
		return k.c.Change(k.Ctx, f(k.tag), func(r *row) error {
			stored := r.Tag
			r.Tag = k.tag
			defer func() { r.Tag = stored }()
			return k.decide(r)
		})
	})
}

func isLost(err error) bool { return errors.Is(err, errLost) }

// spoils are what may become of the values of a row.
var spoils = func() map[string]func(*row) {
	float := func(n *int64) { *n = int64(min(float64(*n), 1<<62)) }
	takers := func(f func(*taker)) func(*row) {
		return func(r *row) {
			for i := range r.Takers {
				f(&r.Takers[i])
			}
		}
	}
	describes := func(f func(string) string) func(*row) {
		return func(r *row) { r.Description = f(r.Description) }
	}
	const maxStep = segmentstore.MaxStep
	return map[string]func(*row){
		"the next number as a floating point number": func(r *row) { float(&r.Next) },
		"a next number of 1 at least":                func(r *row) { r.Next = max(r.Next, 1) },
		"a next number above the floor":              func(r *row) { r.Next = max(r.Next, r.Floor) },
		"steps in 31 bits":                           func(r *row) { r.Step = min(r.Step, 1<<30) },
		"steps as floating point numbers":            func(r *row) { r.Step = min(int64(float32(r.Step)), maxStep) },
		"steps of 1":                                 func(r *row) { r.Step = 1 },
		"a description of 255 characters": describes(func(d string) string {
			return string([]rune(d)[:min(255, len([]rune(d)))])
		}),
		"a description of 256 bytes": describes(func(d string) string { return d[:min(256, len(d))] }),
		"three bytes a character": describes(func(d string) string {
			return strings.ReplaceAll(d, "\U0001F984", "?")
		}),
		"no spaces at the end": describes(func(d string) string {
			return strings.TrimRight(d, " ")
		}),
		"takers' numbers as floating point numbers": takers(func(t *taker) { float(&t.Last) }),
		"no taker's number below 0":                 takers(func(t *taker) { t.Last = max(t.Last, 0) }),
		"nonces in small letters":                   takers(func(t *taker) { t.Nonce = strings.ToLower(t.Nonce) }),
		"nonces that are numbers":                   takers(func(t *taker) { t.Nonce = folds["numbers"](t.Nonce) }),
		"takers in the order of their nonces": func(r *row) {
			slices.SortFunc(r.Takers, func(a, b taker) int { return strings.Compare(a.Nonce, b.Nonce) })
		},
		"takers in the order of their numbers": func(r *row) {
			slices.SortFunc(r.Takers, func(a, b taker) int { return cmp.Compare(a.Last, b.Last) })
		},
		"one taker less than there can be": func(r *row) {
			r.Takers = r.Takers[:min(segmentstore.MaxTakers-1, len(r.Takers))]
		},
		"no takers":                        func(r *row) { r.Takers = nil },
		"no writes":                        func(r *row) { r.Writes = 0 },
		"writes as floating point numbers": func(r *row) { float(&r.Writes) },
		"no floor":                         func(r *row) { r.Floor = 0 },
		"the next number as the floor":     func(r *row) { r.Floor = r.Next },
	}
}()

// fields gives a row one of its fields from another one.
var fields = map[string]func(r, from *row){
	"the next number": func(r, from *row) { r.Next = from.Next },
	"the step":        func(r, from *row) { r.Step = from.Step },
	"the description": func(r, from *row) { r.Description = from.Description },
	"the writes":      func(r, from *row) { r.Writes, r.Floor = from.Writes, from.Floor },
	"takers":          func(r, from *row) { r.Takers = from.Takers },
	"what is there":   func(r, from *row) { *r = *from },
	"all but the next number": func(r, from *row) {
		next := r.Next
		*r = *from
		r.Next = next
	},
	"what is there when there was nothing": func(r, from *row) {
		if from.Fresh {
			*r = *from
		}
	},
}

// names of tags that fall together.
var folds = map[string]func(tag string) string{
	"one row for all":       func(string) string { return "all" },
	"paths":                 path.Clean,
	"paths below another":   func(tag string) string { return "x" + path.Join("/", tag) },
	"up to a colon":         func(tag string) string { tag, _, _ = strings.Cut(tag, ":"); return tag + "." },
	"slashes escaped alone": func(tag string) string { return strings.ReplaceAll(tag, "/", "%2F") },
	"127 bytes":             func(tag string) string { return tag[:min(127, len(tag))] },
	"the first letters":     func(tag string) string { return tag[:min(6, len(tag))] },
	"numbers":               func(tag string) string { return cmp.Or(strings.TrimLeft(tag, "0"), "0") },
	"letters when written":  func(tag string) string { return strings.Replace(tag, "orders", "Orders", 1) },
	"unescaped, if they can": func(tag string) string {
		plain, err := url.PathUnescape(tag)
		return cmp.Or(plain, fmt.Sprint(tag, err))
	},
}

// mistakes are made anew for each test: some have a memory. The bool says that histories alone have to find it, too.
func mistakes() map[string]wrongStore {
	all := map[string]wrongStore{}
	for name, spoil := range spoils {
		all[name+", written"] = decides(func(r *row, decide func() error) error {
			err := decide()
			spoil(r)
			return err
		})
		all[name+", in Rows"] = lists(func(_ *Client, _ string, _ int, rows []row) []row {
			for i := range rows {
				spoil(&rows[i])
			}
			return rows
		})
		all[name+", read"] = decides(func(r *row, decide func() error) error {
			if !r.Fresh || r.Floor > 0 {
				spoil(r)
			}
			return decide()
		})
	}
	for name, fold := range folds {
		all["tags: "+name] = renames(fold)
	}
	for name, order := range map[string]func(tag string) string{
		"letters without case": strings.ToLower, "paths": url.PathEscape,
		"lengths": func(tag string) string { return fmt.Sprint(1000 + len(tag)) },
	} {
		all["Rows in the order of "+name] = lists(func(_ *Client, _ string, _ int, rows []row) []row {
			slices.SortFunc(rows, func(a, b row) int { return strings.Compare(order(a.Tag), order(b.Tag)) })
			return rows
		})
	}
	for name, which := range map[string]func(c *Client, after string, most int) (string, int){
		"one more":       func(_ *Client, after string, most int) (string, int) { return after, most + 1 },
		"100 at most":    func(_ *Client, after string, most int) (string, int) { return after, min(most, 100) },
		"298 at most":    func(_ *Client, after string, most int) (string, int) { return after, min(most, 298) },
		"from the first": func(_ *Client, _ string, most int) (string, int) { return "", most },
		"after a tag that has a row": func(c *Client, after string, most int) (string, int) {
			if after != "" && c.m.Row(after).Fresh {
				return "~", most
			}
			return after, most
		},
	} {
		all["Rows of "+name] = wrongStore{
			rows: func(c *Client, ctx context.Context, after string, most int) ([]row, error) {
				after, most = which(c, after, most)
				return c.Rows(ctx, after, most)
			},
		}
	}
	var names atomic.Int64
	maps.Copy(all, map[string]wrongStore{
		"Rows from the tag": lists(func(c *Client, after string, most int, rows []row) []row {
			if is := c.m.Row(after); !is.Fresh {
				return append([]row{is}, rows[:min(len(rows), most-1)]...)
			}
			return rows
		}),
		"Rows without a word that means something": lists(func(_ *Client, _ string, _ int, rows []row) []row {
			return slices.DeleteFunc(rows, func(r row) bool { return r.Tag == "max_id" })
		}),
		"Rows tell the secret": {rows: func(c *Client, ctx context.Context, after string, most int) ([]row, error) {
			rows, err := c.Rows(ctx, after, most)
			if err != nil {
				err = errors.Join(err, errors.New("by tiger"))
			}
			return rows, err
		}},
		"Rows have no context": {rows: func(c *Client, ctx context.Context, after string, most int) ([]row, error) {
			return c.Rows(context.WithoutCancel(ctx), after, most)
		}},
		"Updated is hours off": decides(func(r *row, decide func() error) error {
			if !r.Fresh {
				r.Updated = r.Updated.Add(8 * time.Hour)
			}
			return decide()
		}),
		"a Fresh row has a step": decides(func(r *row, decide func() error) error {
			if r.Fresh {
				r.Step = 1
			}
			return decide()
		}),
		"a Fresh row has nothing beside it": decides(func(r *row, decide func() error) error {
			if r.Fresh {
				r.Writes, r.Floor, r.Takers = 0, 0, nil
			}
			return decide()
		}),
		"no name":               {name: func() string { return "" }},
		"a name that changes":   {name: func() string { return fmt.Sprint(names.Add(1)) }},
		"a name with a secret":  {name: func() string { return "user:tiger@host" }},
		"Inspect with a secret": {inspect: func(*Client) ([]string, error) { return []string{"tiger"}, nil }},
		"an error with a secret": {inspect: func(*Client) ([]string, error) {
			return nil, errors.Join(errors.New("x"), errors.New("tiger"))
		}},
		"Inspect wants that there is something": {inspect: func(c *Client) ([]string, error) {
			if len(c.m.rows) == 0 {
				return nil, errors.New("there is no table")
			}
			return nil, nil
		}},
		"Inspect writes": {inspect: func(c *Client) ([]string, error) {
			c.m.SetRow(row{Tag: "orders", Step: 1})
			return nil, nil
		}},
		"a look creates a row": after(func(k *call, err error) error {
			if k.c.m.Row(k.tag).Fresh {
				k.c.m.SetRow(row{Tag: k.tag, Step: 1})
			}
			return err
		}),
		"no row is created": decides(func(r *row, decide func() error) error {
			if r.Fresh {
				return cmp.Or(decide(), errSkip)
			}
			return decide()
		}),
		"decide gets the takers that are stored": returns(func(k *call) error {
			return k.c.Change(k.Ctx, k.tag, func(r *row) error {
				k.c.m.mu.Lock()
				r.Takers = k.c.m.rows[k.tag].Takers
				k.c.m.mu.Unlock()
				return k.decide(r)
			})
		}),
		"what is no row is stored": after(func(k *call, err error) error {
			if errors.Is(err, uid.ErrRange) && k.Decided == nil {
				k.c.m.SetRow(k.wrote)
			}
			return err
		}),
	})
	for name, in := range map[string]func(err error) error{
		"is not out of range": func(error) error { return errors.New("constraint violated") },
		"has no numbers":      func(error) error { return fmt.Errorf("%w: bad row", uid.ErrRange) },
		"may be one later":    retry.Transient,
	} {
		all["what is no row "+name] = after(func(k *call, err error) error {
			if errors.Is(err, uid.ErrRange) && k.Decided == nil {
				return in(err)
			}
			return err
		})
	}
	return all
}

// misdeeds are wrong in what happens at once, and in what becomes of faults.
func misdeeds() map[string]wrongStore {
	all := map[string]wrongStore{}
	for name, from := range fields {
		all["a guard that does not see "+name] = returns(func(k *call) error {
			return guarded(k.c, k.Ctx, k.tag, k.decide, func(now, read *row) bool {
				is := *now
				from(&is, read)
				return is.Equal(read)
			})
		})
	}
	last := func(f func(r *row, runs int, decide func() error) error) wrongStore {
		return returns(func(k *call) error {
			runs := 0
			return decides(func(r *row, decide func() error) error { runs++; return f(r, runs, decide) }).call(k)
		})
	}
	halves := func(half func(now, wrote row) row) wrongStore {
		return after(func(k *call, err error) error {
			if now := k.c.m.Row(k.tag); isLost(err) && now.Equal(&k.read) {
				row := half(now, k.wrote)
				row.Fresh = false
				k.c.m.SetRow(row)
			}
			return err
		})
	}
	var n atomic.Int64
	var reads sync.Map // by client and tag
	type key struct {
		c   *Client
		tag string
	}
	maps.Copy(all, map[string]wrongStore{
		"who has lost a race is acknowledged": last(func(_ *row, runs int, decide func() error) error {
			if runs > 1 { // UPDATE ... WHERE changes no row, and nobody asks
				return errSkip
			}
			return decide()
		}),
		"ten races are enough": last(func(_ *row, runs int, decide func() error) error {
			if runs > 10 {
				return retry.Transient(errors.New("gave up"))
			}
			return decide()
		}),
		"who has lost a race writes what was decided": returns(func(k *call) error {
			return k.c.Change(k.Ctx, k.tag, func(r *row) error {
				if k.wrote.Step > 0 {
					*r = k.wrote
					return nil
				}
				err := k.decide(r)
				k.wrote = copied(r)
				return err
			})
		}),
		"who has lost a race decides about the same row": returns(func(k *call) error {
			return k.c.Change(k.Ctx, k.tag, func(r *row) error {
				if k.read.Tag == "" {
					k.read = copied(r)
				}
				*r = copied(&k.read)
				return k.decide(r)
			})
		}),
		"looks see what is old": returns(func(k *call) error {
			old, found := reads.Load(key{k.c, k.tag})
			if r, _ := old.(row); found {
				r = copied(&r)
				if err := k.decide(&r); err != nil {
					return err
				}
			}
			err := k.make(k.Ctx)
			reads.Store(key{k.c, k.tag}, k.read)
			return err
		}),
		"a client of one goroutine": returns(func(k *call) error {
			decide := func(r *row) error { reads.Store(k.c, copied(r)); return k.decide(r) }
			return guarded(k.c, k.Ctx, k.tag, decide, func(now, _ *row) bool {
				read, _ := reads.Load(k.c)
				r := read.(row)
				return now.Equal(&r)
			})
		}),
		"every fifth write is lost": decides(func(_ *row, decide func() error) error {
			if err := decide(); err != nil || n.Add(1)%5 != 0 {
				return err
			}
			return errSkip
		}),
		"a call that fails stores the numbers alone": halves(func(now, wrote row) row {
			wrote.Takers = now.Takers
			return wrote
		}),
		"a call that fails stores the takers alone": halves(func(now, wrote row) row {
			now.Takers, now.Step = wrote.Takers, max(1, now.Step)
			return now
		}),
		"what decide refused is stored": after(func(k *call, err error) error {
			if k.Decided != nil && k.wrote.Check() == nil {
				k.c.m.SetRow(k.wrote)
			}
			return err
		}),
		"a decision that may pass is tried again": after(func(k *call, err error) error {
			if k.Decided != nil && retry.IsTransient(err) {
				return k.make(k.Ctx)
			}
			return err
		}),
	})
	for name, of := range wrong.Calls(isLost, "tiger") {
		all[name] = returns(func(k *call) error { return of(&k.Call) })
	}
	return all
}

// guarded stores a row if what is there is the same as what was read, in this sense.
func guarded(c *Client, ctx context.Context, tag string, decide decision, same func(now, read *row) bool) error {
	for {
		read := c.m.Row(tag)
		is := copied(&read)
		// For the context and the fault. What it decides is stored by the guard.
		err := c.Change(ctx, tag, func(*row) error {
			if err := decide(&is); err != nil {
				return err
			}
			is.Fresh = false
			return cmp.Or(is.Check(), errSkip)
		})
		if !errors.Is(err, errSkip) {
			return err
		}
		if c.m.replace(is, func(now *row) bool { return same(now, &read) }) {
			return nil
		}
	}
}

// replace stores a row if the one that is there is as wanted.
func (m *Memory) replace(row row, wanted func(now *row) bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.record(row.Tag)
	if !wanted(&now.Row) {
		return false
	}
	m.store(record{Row: copied(&row)})
	return true
}

// servers are wrong behind their clients.
func servers() map[string]func(*Memory, *Subject) {
	all := map[string]func(*Memory, *Subject){
		"acknowledged writes are lost": func(m *Memory, s *Subject) {
			restore := m.Backup()
			s.Deliver = func() { restore(); restore = m.Backup() }
		},
		"versions come again after writes were lost": func(m *Memory, s *Subject) {
			s.Backup = func() (restore func()) {
				rows, version := maps.Clone(m.rows), m.version
				return func() { m.rows, m.version = maps.Clone(rows), version }
			}
		},
		"what was written last is kept when writes are lost": func(_ *Memory, s *Subject) {
			s.Backup = func() (restore func()) { return func() {} }
		},
		"others who draw forget the takers": func(m *Memory, s *Subject) {
			s.Foreign = func(tag string, n int64) (int64, error) {
				first, err := m.Foreign(tag, n)
				row := m.Row(tag)
				row.Takers = nil
				m.SetRow(row)
				return first, err
			}
		},
		"others who draw get what follows theirs": func(m *Memory, s *Subject) {
			s.Foreign = func(tag string, n int64) (int64, error) {
				first, err := m.Foreign(tag, n)
				return first + n, err
			}
		},
	}
	for name, from := range fields {
		all["a late write that does not see "+name] = delayed(func(now, read *row) bool {
			is := *now
			from(&is, read)
			return is.Equal(read)
		})
	}
	all["a late write that takes a row that was changed back for the same"] =
		delayed(func(now, read *row) bool { return now.Equal(read) })
	return all
}

// delayed lets late writes arrive by another guard than the Memory's: what is there has to be the same, in this sense,
// as what was read.
func delayed(same func(now, read *row) bool) func(*Memory, *Subject) {
	return func(m *Memory, s *Subject) {
		var mu sync.Mutex
		var late []func()
		w := after(func(k *call, err error) error {
			m.mu.Lock()
			defer m.mu.Unlock()
			i := slices.IndexFunc(m.late, func(r record) bool { return r.Row.Equal(&k.wrote) })
			if i >= 0 {
				m.late = slices.Delete(m.late, i, i+1)
				mu.Lock()
				defer mu.Unlock()
				late = append(late, func() { m.replace(k.wrote, func(now *row) bool { return same(now, &k.read) }) })
			}
			return err
		})
		opens(m, s, w)
		s.Deliver = func() {
			mu.Lock()
			all := late
			late = nil
			mu.Unlock()
			for _, write := range all {
				write()
			}
		}
	}
}

// opens makes a Subject one of wrong stores.
func opens(m *Memory, s *Subject, w wrongStore) {
	s.Open = func() (segment.Store, error) {
		one := w
		one.Client = m.Client()
		return one, nil
	}
	s.Fault = func(store segment.Store, f Fault) bool { store.(wrongStore).faults.Set(f); return true }
}

// Each wrong store is rejected, and there is no check that nothing shows to be of use.
func TestWrongStores(t *testing.T) {
	t.Parallel()
	finds := map[string]int{}
	try := func(name string, checks []check, open func() Subject) {
		t.Run(name, func(t *testing.T) {
			by := wrong.Finds(t, checks, func(t *testing.T) *probe {
				return newProbe(t.Context(), suite.Settings{Histories: 400, Seed: 1}.OrDefaults(), open())
			})
			require.NotEmpty(t, by, "no check finds what is wrong")
			finds[by]++
		})
	}
	of := func(make func() map[string]wrongStore, name string, locks bool) func() Subject {
		return func() (s Subject) {
			m := NewMemory()
			m.Locks = locks
			s = subject(m)
			opens(m, &s, make()[name])
			return s
		}
	}
	for _, make := range []func() map[string]wrongStore{mistakes, misdeeds} {
		for name := range make() {
			try(name, checks, of(make, name, false))
		}
	}
	for _, name := range []string{"the context does not matter", "it goes on after the context has ended"} {
		try(name+", with locks", checks, of(misdeeds, name, true))
	}
	for name := range servers() {
		try(name, checks, func() Subject {
			m := NewMemory()
			s := subject(m)
			servers()[name](m, &s)
			return s
		})
	}
	// Histories find by themselves what is wrong with calls at once, and with faults.
	for _, name := range []string{
		"a guard that does not see what is there", "a guard that does not see the next number",
		"a guard that does not see takers",
		"a client of one goroutine", "who has lost a race is acknowledged", "looks see what is old",
		"every fifth write is lost", "a call that fails stores the numbers alone",
		"a call that fails stores the takers alone",
		"a reply that was lost is acknowledged", "a reply that was lost is asked for again",
	} {
		try(name+", in a history", checks[len(checks)-1:], of(misdeeds, name, false))
	}
	for _, c := range checks {
		require.Positive(t, finds[c.Name], c.Name)
	}
}
