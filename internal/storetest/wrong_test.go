package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/internal/suite/wrong"
	"github.com/uidgen/uid/worker/lease"
)

// An attempt is a call of a client, which a wrong store makes of a right one.
type attempt struct {
	*Client
	wrong.Call
	operation string // Take, Change or Init
	wants     wish   // of a Take
	id        int64  // of a Change
	decide    decision

	wroteNamespace common // what decide left last
	wroteRow       row
}

// make makes the call of the right store.
func (k *attempt) make(ctx context.Context) error {
	decide := func(n *common, r *row, now clock) error {
		k.Decided = k.decide(n, r, now)
		if k.wroteNamespace = *n; r != nil {
			k.wroteRow = *r
		}
		return k.Decided
	}
	switch k.operation {
	case "Take":
		return k.Take(ctx, k.wants, decide)
	case "Change":
		return k.Change(ctx, k.id, decide)
	}
	return k.Init(ctx, func(n *common, now clock) error { return decide(n, nil, now) })
}

// decides makes it with another decision, which gets the one that was to be made.
func (k *attempt) decides(f func(n *common, r *row, now clock, decide decision) error) error {
	decide := k.decide
	k.decide = func(n *common, r *row, now clock) error { return f(n, r, now, decide) }
	return k.make(k.Ctx)
}

// A wrong store is a Memory's, but for what is replaced here.
type wrongStore struct {
	*Client
	call    func(k *attempt) error
	only    string // the operation that is wrong alone; "" for all
	inspect func(c *Client) ([]string, error)
	name    string
	named   func(c *Client) string
	durable func(c *Client) bool
}

func (w wrongStore) make(k *attempt) error {
	k.Client, k.Make = w.Client, k.make
	if w.call == nil || w.only != "" && w.only != k.operation {
		return k.make(k.Ctx)
	}
	return w.call(k)
}

func (w wrongStore) Take(ctx context.Context, wants wish, decide decision) error {
	return w.make(&attempt{Call: wrong.Call{Ctx: ctx}, operation: "Take", wants: wants, decide: decide})
}

func (w wrongStore) Change(ctx context.Context, id int64, decide decision) error {
	return w.make(&attempt{Call: wrong.Call{Ctx: ctx}, operation: "Change", id: id, decide: decide})
}

func (w wrongStore) Init(ctx context.Context, decide func(*common, clock) error) error {
	both := func(n *common, _ *row, now clock) error { return decide(n, now) }
	return w.make(&attempt{Call: wrong.Call{Ctx: ctx}, operation: "Init", decide: both})
}

func (w wrongStore) Inspect(ctx context.Context) ([]string, error) {
	if w.inspect != nil {
		return w.inspect(w.Client)
	}
	return w.Client.Inspect(ctx)
}

func (w wrongStore) Name() string {
	if w.named != nil {
		return w.named(w.Client)
	}
	return cmp.Or(w.name, w.Client.Name())
}

func (w wrongStore) Durable() bool {
	if w.durable != nil {
		return w.durable(w.Client)
	}
	return w.Client.Durable()
}

// of is wrong in one operation alone.
func of(operation string, call func(k *attempt) error) wrongStore {
	return wrongStore{call: call, only: operation}
}

// reads is wrong in what it offers.
func reads(f func(n *common, r *row, now *clock)) wrongStore {
	return decides(func(n *common, r *row, now *clock, decide func() error) error {
		f(n, r, now)
		return decide()
	})
}

// decides is wrong in how it lets decide run. Change's decisions about no row are as they are.
func decides(f func(n *common, r *row, now *clock, decide func() error) error) wrongStore {
	return wrongStore{call: func(k *attempt) error {
		err := k.decides(func(n *common, r *row, now clock, decide decision) error {
			shown := n
			if k.operation == "Change" {
				if shown = nil; r == nil {
					return decide(n, r, now)
				}
			}
			return f(shown, r, &now, func() error { return decide(n, r, now) })
		})
		if errors.Is(err, errSkip) {
			return nil
		}
		return err
	}}
}

// returns is wrong in what it makes of a call that was made.
func returns(f func(k *attempt, err error) error) wrongStore { return after("", f) }

// after is wrong so in one operation alone.
func after(operation string, f func(k *attempt, err error) error) wrongStore {
	return of(operation, func(k *attempt) error { return f(k, k.make(k.Ctx)) })
}

func isLost(err error) bool { return errors.Is(err, errLost) }

// errSkip is returned by decisions that are acknowledged, and not stored.
var errSkip = errors.New("skipped")

// spoilt are wrong in what becomes of one value.
func spoilt() map[string]wrongStore {
	all := map[string]wrongStore{}
	milli := func(t *time.Time) { *t = t.Truncate(time.Millisecond) }
	holder := func(r *row, most int) {
		r.Holder = string([]rune(r.Holder)[:min(most, len([]rune(r.Holder)))])
	}
	for name, spoil := range map[string]func(*row){
		"Until in milliseconds":    func(r *row) { milli(&r.Until) },
		"Acquired in milliseconds": func(r *row) { milli(&r.Acquired) },
		"Renewed in milliseconds":  func(r *row) { milli(&r.Renewed) },
		"no Acquired":              func(r *row) { r.Acquired = r.Renewed },
		"years up to 2262":         func(r *row) { r.Renewed = time.Unix(0, r.Renewed.UnixNano()).UTC() },
		"127 characters":           func(r *row) { holder(r, 127) },
		"128 bytes":                func(r *row) { r.Holder = r.Holder[:min(128, len(r.Holder))] },
		"three bytes a character":  func(r *row) { r.Holder = strings.ReplaceAll(r.Holder, "\U0001F984", "?") },
		"no spaces at the end":     func(r *row) { r.Holder = strings.TrimRight(r.Holder, " ") },
		"a Layout of 254 bytes":    func(r *row) { r.Layout = r.Layout[:min(254, len(r.Layout))] },
		"nonces in small letters":  func(r *row) { r.Nonce = strings.ToLower(r.Nonce) },
		"no High below 0":          func(r *row) { r.High = max(r.High, 0) },
		"High as a floating point number": func(r *row) {
			if r.High < math.MaxInt64 {
				r.High = int64(float64(r.High))
			}
		},
		"local time": func(r *row) { r.Until = r.Until.In(time.FixedZone("", 3600)) },
	} {
		all["a row with "+name] = decides(func(_ *common, r *row, _ *clock, decide func() error) error {
			err := decide()
			if r != nil && name != "local time" {
				spoil(r)
			}
			return err
		})
		all["a row that is read with "+name] = reads(func(_ *common, r *row, _ *clock) {
			if r != nil && !r.Unused() {
				spoil(r)
			}
		})
	}
	for name, spoil := range map[string]func(*common){
		"Made in milliseconds":    func(n *common) { milli(&n.Made) },
		"Renewed in milliseconds": func(n *common) { milli(&n.Renewed) },
		"no Floor below 0":        func(n *common) { n.Floor = max(n.Floor, 0) },
		"no IDs":                  func(n *common) { n.IDs = lease.Range{} },
		"the last of its IDs":     func(n *common) { n.IDs.First = 0 },
		"IDs in 32 bits":          func(n *common) { n.IDs.Last = int64(int32(n.IDs.Last)) },
		"no History":              func(n *common) { n.History = "" },
		"no Layout":               func(n *common) { n.Layout = "" },
		"no Given":                func(n *common) { n.Given = -1 },
		"no word of being Fresh":  func(n *common) { n.Fresh = false },
		"news of being Fresh":     func(n *common) { *n = common{Given: n.Given, Floor: -1, Fresh: true} },
	} {
		all["a namespace with "+name] = decides(func(n *common, _ *row, _ *clock, decide func() error) error {
			err := decide()
			if n != nil && name != "no Given" && !strings.Contains(name, "Fresh") {
				spoil(n)
			}
			return err
		})
		all["a namespace that is read with "+name] = reads(func(n *common, r *row, _ *clock) {
			if n != nil && (r == nil || name != "no Given") {
				spoil(n)
			}
		})
		if name == "no Given" || strings.Contains(name, "Fresh") {
			delete(all, "a namespace with "+name)
		}
	}
	delete(all, "a row with local time")
	var n atomic.Int64
	for name, spoil := range map[string]func(now *clock){
		"nanoseconds":                func(now *clock) { now.Now = now.Now.Add(1) },
		"local time":                 func(now *clock) { now.Now = now.Now.In(time.FixedZone("", 3600)) },
		"an Error below 0":           func(now *clock) { now.Error = -1 },
		"another history each time":  func(now *clock) { now.History = fmt.Sprint(n.Add(1)) },
		"a history that is too long": func(now *clock) { now.History = strings.Repeat("x", leasestore.MostHistory+1) },
		"a history in Greek":         func(now *clock) { now.History = "ἱστορία" },
	} {
		all["a clock with "+name] = reads(func(_ *common, _ *row, now *clock) { spoil(now) })
	}
	return all
}

// faulty are wrong in what becomes of a call: each fault of each operation.
func faulty() map[string]wrongStore {
	var n atomic.Int64
	faults := map[string]wrongStore{
		"what decide refused is stored": {call: func(k *attempt) (refused error) {
			err := k.decides(func(n *common, r *row, now clock, decide decision) error {
				refused = decide(n, r, now)
				return nil
			})
			return cmp.Or(refused, err)
		}},
		"every fifth write is lost": decides(func(_ *common, _ *row, _ *clock, decide func() error) error {
			if err := decide(); err != nil || n.Add(1)%5 != 0 {
				return err
			}
			return errSkip
		}),
		"the row is not written": decides(func(_ *common, r *row, _ *clock, decide func() error) error {
			if r == nil {
				return decide()
			}
			was := *r
			err := decide()
			*r = was
			return err
		}),
		"the namespace is not written": {call: func(k *attempt) error {
			return k.decides(func(n *common, r *row, now clock, decide decision) error {
				shown := *n
				return decide(&shown, r, now)
			})
		}},
		"nothing is guarded": {call: unguarded(func(k *attempt, n common, r *row) error {
			if k.operation != "Change" {
				k.m.SetNamespace(k.namespace, n)
			}
			if r != nil {
				k.m.SetRow(k.namespace, *r)
			}
			return nil
		})},
		"the clock is read before the lock": {call: func(k *attempt) error {
			early := k.m.now()
			return k.decides(func(n *common, r *row, _ clock, decide decision) error {
				return decide(n, r, early)
			})
		}},
		"what is old is seen": cached(),
	}
	for name, call := range wrong.Calls(isLost, "tiger") {
		faults[name] = wrongStore{call: func(k *attempt) error { return call(&k.Call) }}
	}
	faults["a missing namespace is an error of its own"] = returns(func(_ *attempt, err error) error {
		if errors.Is(err, errMissing) {
			return errors.New("no such table")
		}
		return err
	})
	// When a call's outcome is open, something is stored.
	for name, do := range map[string]func(k *attempt){
		"the namespace alone": func(k *attempt) { k.m.SetNamespace(k.namespace, k.wroteNamespace) },
		"the row alone":       func(k *attempt) { k.m.SetRow(k.namespace, k.wroteRow) },
		"an unused row":       func(k *attempt) { k.m.SetRow(k.namespace, leasestore.NewRow(30)) },
		"a higher Given": func(k *attempt) {
			if n, found := k.m.Namespace(k.namespace); found {
				n.Given += 9
				k.m.SetNamespace(k.namespace, n)
			}
		},
	} {
		faults["a call that fails stores "+name] = returns(func(k *attempt, err error) error {
			if isLost(err) {
				do(k)
			}
			return err
		})
	}
	all := map[string]wrongStore{}
	for name, w := range faults {
		for _, operation := range []string{"Take", "Change", "Init"} {
			all[operation+": "+name] = of(operation, w.call)
		}
	}
	// Which do not do what the fault is about.
	for _, not := range []string{
		"Init: a missing namespace is an error of its own", "Init: the row is not written",
		"Take: what is old is seen", "Init: what is old is seen",
		"Change: a call that fails stores the namespace alone", "Init: a call that fails stores the row alone",
		"Change: a call that fails stores the row alone", "Init: a call that fails stores the namespace alone",
	} {
		delete(all, not)
	}
	return all
}

// single are wrong in ways of their own.
func single() map[string]wrongStore {
	var first atomic.Pointer[Client]
	missing := func(c *Client) bool { _, found := c.m.Namespace(c.namespace); return !found }
	set := func(c *Client) {
		if missing(c) {
			c.m.SetNamespace(c.namespace, common{Given: -1, Floor: -1})
		}
	}
	return map[string]wrongStore{
		"a Name without the namespace": {name: "somewhere"},
		"a Name of each client's own": {named: func(c *Client) string {
			return fmt.Sprintf("%s of %p", c.namespace, c)
		}},
		"a Name with the secret": {named: func(c *Client) string { return c.namespace + " by tiger" }},
		"Durable is of each client's own": {durable: func(c *Client) bool {
			return first.CompareAndSwap(nil, c) || first.Load() == c
		}},
		"Durable is what is seen so far":     {durable: func(c *Client) bool { return !missing(c) }},
		"Durable is of each namespace's own": {durable: func(c *Client) bool { return c.namespace == "suite-1" }},
		"Inspect tells the secret": {inspect: func(*Client) ([]string, error) {
			return []string{"tiger may lose writes"}, nil
		}},
		"Inspect fails where nothing is": {inspect: func(c *Client) ([]string, error) {
			if missing(c) {
				return nil, c.missing()
			}
			return nil, nil
		}},
		"Inspect makes the namespace": {inspect: func(c *Client) ([]string, error) {
			set(c)
			return nil, nil
		}},
		"Take makes the namespace": of("Take", func(k *attempt) error {
			set(k.Client)
			return k.make(k.Ctx)
		}),
		"Take makes a namespace that it does not use": after("Take", func(k *attempt, err error) error {
			set(k.Client)
			return err
		}),
		"Change finds no row in no namespace": of("Change", func(k *attempt) error {
			if missing(k.Client) {
				return k.decide(&common{}, nil, k.m.now())
			}
			return k.make(k.Ctx)
		}),
		"Change offers an ID without a row": of("Change", func(k *attempt) error {
			return k.decides(func(n *common, r *row, now clock, decide decision) error {
				if r == nil {
					unused := leasestore.NewRow(k.id)
					unused.Holder = "nobody"
					r = &unused
				}
				return decide(n, r, now)
			})
		}),
		"Change makes a row": after("Change", func(k *attempt, err error) error {
			if _, found := k.m.Row(k.namespace, k.id); !found && !errors.Is(err, errMissing) {
				k.m.SetRow(k.namespace, row{WorkerID: k.id, High: -1})
			}
			return err
		}),
		"a namespace made anew loses its rows": after("Init", func(k *attempt, err error) error {
			if err == nil && k.wroteNamespace.Fresh {
				k.m.RemoveRow(k.namespace, 1)
			}
			return err
		}),
		"Take guards the row and not the namespace": of("Take", unguarded(func(k *attempt, n common, r *row) error {
			err := k.Take(k.Ctx, wish{IDs: lease.Range{First: r.WorkerID, Last: r.WorkerID}, Highest: k.wants.Highest},
				func(_ *common, now *row, _ clock) error { *now = *r; return nil })
			if err != nil {
				return retry.Transient(err)
			}
			k.m.SetNamespace(k.namespace, n)
			return nil
		})),
		"who has lost a race is acknowledged": of("Change", func(k *attempt) error {
			runs := 0
			err := k.decides(func(n *common, r *row, now clock, decide decision) error {
				if runs++; runs > 1 { // UPDATE ... WHERE changes no row, and nobody asks
					return errSkip
				}
				return decide(n, r, now)
			})
			if errors.Is(err, errSkip) {
				return nil
			}
			return err
		}),
	}
}

// servers are wrong behind their clients.
func servers() map[string]func(*Memory, *Subject) {
	all := map[string]func(*Memory, *Subject){
		"the history stays as it is when writes are lost": func(m *Memory, _ *Subject) { m.cfg.SameHistory = true },
		"acknowledged writes are lost": func(m *Memory, s *Subject) {
			restore := m.Backup()
			s.Deliver = func() { restore(); restore = m.Backup() }
		},
		"versions come again after writes were lost": func(m *Memory, s *Subject) {
			s.Backup = func() (restore func()) {
				back, was := m.Backup(), map[*space]space{}
				for _, s := range m.spaces {
					was[s] = space{namespace: s.namespace, rows: maps.Clone(s.rows)}
				}
				return func() {
					back()
					m.history--
					for s, is := range was {
						s.namespace, s.rows = is.namespace, is.rows
					}
				}
			}
		},
	}
	for name, fold := range map[string]func(string) string{
		"one for all": func(string) string { return "all" }, "small letters": strings.ToLower,
		"five letters": func(name string) string { return name[:min(5, len(name))] },
		"up to a dot":  func(name string) string { name, _, _ = strings.Cut(name, "."); return name },
	} {
		all["namespaces: "+name] = func(m *Memory, s *Subject) {
			s.Open = func(namespace string) (lease.Store, error) {
				return wrongStore{Client: m.Store(fold(namespace)), name: namespace}, nil
			}
		}
	}
	for name, newest := range map[string]func(*change) bool{
		"anything": func(*change) bool { return true },
		"the namespace": func(ch *change) bool {
			return ch.row == nil || ch.row.version == ch.space.rows[ch.id].version
		},
		"the row": func(ch *change) bool {
			n, now := ch.namespace, ch.space.namespace
			return n == nil || now != nil && n.version == now.version
		},
		"a row but its nonce": func(ch *change) bool {
			return ch.newest() || ch.row != nil && ch.row.version > 0 && ch.space.rows[ch.id].value.Nonce == ""
		},
		"the namespace of a new ID": func(ch *change) bool {
			return ch.newest() || ch.row != nil && ch.row.version == 0 && ch.space.rows[ch.id].version == 0
		},
	} {
		all["a late write that does not see "+name] = func(m *Memory, s *Subject) {
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
	return all
}

// opens makes a Subject one of wrong stores.
func opens(m *Memory, s *Subject, w wrongStore) {
	s.Open = func(namespace string) (lease.Store, error) {
		one := w
		one.Client = m.Store(namespace)
		return one, nil
	}
}

// finds returns the name of the first check that finds something.
func finds(t *testing.T, checks []check, histories int, open func() Subject) (by string) {
	t.Helper()
	return wrong.Finds(t, checks, func(t *testing.T) *probe {
		return newProbe(t.Context(), suite.Settings{Histories: histories, Seed: 1}.OrDefaults(), open())
	})
}

// Each wrong store is rejected, and there is no check that nothing shows to be of use.
func TestWrongStores(t *testing.T) {
	t.Parallel()
	found := map[string]int{}
	try := func(name string, checks []check, versions bool, make func(*Memory, *Subject)) {
		t.Run(name, func(t *testing.T) {
			by := finds(t, checks, 30, func() Subject {
				clock := newHandClock()
				memory := NewMemory(MemoryConfig{Now: clock.Now, Error: 30 * time.Second, Versions: versions})
				s := subject(memory, clock.Step)
				make(memory, &s)
				return s
			})
			require.NotEmpty(t, by, "no check finds what is wrong")
			found[by]++
		})
	}
	one := func(name string, make func() map[string]wrongStore) func(*Memory, *Subject) {
		return func(m *Memory, s *Subject) { opens(m, s, make()[name]) }
	}
	for _, make := range []func() map[string]wrongStore{spoilt, single, wrongChoices, wrongNews, faulty} {
		for name := range make() {
			versions := strings.Contains(name, "lost a race")
			try(name, checks, versions, one(name, make))
		}
	}
	for name, make := range servers() {
		try(name, checks, true, make)
	}
	for name, make := range registries() {
		locks := strings.Contains(name, "takes the lock")
		try("a registry: "+name, registryChecks, !locks, func(m *Memory, s *Subject) {
			s.Registry = func() (registry.Store, error) {
				w := make
				w.Registry = m.Registry()
				return w, nil
			}
		})
	}
	// Histories find by themselves what is wrong with calls at once, and with faults.
	for _, name := range []string{
		"Take: nothing is guarded", "Change: nothing is guarded", "Init: nothing is guarded",
		"Change: what is old is seen", "Change: a reply that was lost is asked for again",
		"Change: a reply that was lost is acknowledged", "Take: every fifth write is lost",
		"Take: a call that fails stores the row alone", "Take: a call that fails stores the namespace alone",
	} {
		try(name+", in a history", checks[len(checks)-1:], false, one(name, faulty))
	}
	crowds := checks[len(checks)-2 : len(checks)-1]
	try("crowds alone: nothing is guarded", crowds, false, one("Take: nothing is guarded", faulty))
	for _, c := range append(checks, registryChecks...) {
		require.Positive(t, found[c.Name], c.Name)
	}
}

// unguarded looks, decides, and then writes, whatever has become of what it saw.
func unguarded(write func(k *attempt, n common, r *row) error) func(k *attempt) error {
	return func(k *attempt) error {
		var namespace common
		var seen *row
		var at clock
		decide := k.decide
		err := k.decides(func(n *common, r *row, now clock, _ decision) error {
			if namespace, at = *n, now; r != nil {
				is := *r
				seen = &is
			}
			return suite.ErrLook
		})
		if !errors.Is(err, suite.ErrLook) {
			return err
		}
		if err := decide(&namespace, seen, at); err != nil {
			return err
		}
		return write(k, namespace, seen)
	}
}

// cached offers a client's decisions rows as the client saw them last; only what they write is
// checked.
func cached() wrongStore {
	var rows sync.Map // by client and worker ID
	type key struct {
		c  *Client
		id int64
	}
	return of("Change", func(k *attempt) error {
		if r, found := rows.Load(key{k.Client, k.id}); found {
			r := r.(row)
			n, _ := k.m.Namespace(k.namespace)
			if err := k.decide(&n, &r, k.m.now()); err != nil {
				return err
			}
		}
		return k.decides(func(n *common, r *row, now clock, decide decision) error {
			if r != nil {
				rows.Store(key{k.Client, k.id}, *r)
			}
			return decide(n, r, now)
		})
	})
}
