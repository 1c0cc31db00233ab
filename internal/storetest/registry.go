package storetest

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/worker/lease"
)

// registryChecks are those of RunRegistry, ordered so that the first failure says most.
var registryChecks = []check{
	{Name: "Namespaces", Run: listsNamespaces, Contract: "the names of all namespaces that have any row, in " +
		"ascending order; if the place itself is missing ErrNoNamespace"},
	{Name: "Namespace", Run: opensNamespaces, Contract: "a namespace as a store of leases, whether it exists or " +
		"not; that store's Init makes it"},
	{Name: "Rows", Run: readsRows, Contract: "up to most rows of IDs above the one given, in ascending order, and " +
		"the namespace's own, as they were written, Fresh when that is missing; a namespace without any row gives a " +
		"page without rows"},
	{Name: "reading", Run: readsAlone, Contract: "Namespaces and Rows need no lock; a call returns soon after its " +
		"context has ended; no error holds a secret"},
}

// A clerk is a registry.Store under watch: it checks in each call what holds for every call.
type clerk struct {
	p     *probe
	store registry.Store
}

// clerk returns a new client of all namespaces.
func (p *probe) clerk() *clerk {
	s, err := p.Registry()
	if err != nil {
		p.Fatalf("Registry(): %v", err)
	}
	return &clerk{p: p, store: s}
}

// Namespaces calls the store's Namespaces under watch.
func (k *clerk) Namespaces(ctx context.Context) ([]string, clock, error) {
	names, now, err := k.store.Namespaces(ctx)
	k.p.NoSecrets("Namespaces", err)
	if err == nil || errors.Is(err, errMissing) {
		k.p.clock("Namespaces", now)
	}
	return names, now, err
}

// Rows calls the store's Rows under watch.
func (k *clerk) Rows(ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
	before := k.p.latest()
	page, err := k.store.Rows(ctx, namespace, above, most)
	k.p.NoSecrets("Rows", err)
	if err != nil {
		return page, err
	}
	k.p.namespace("Rows", page.Namespace)
	for _, r := range page.Rows {
		k.p.row("Rows", r)
	}
	k.p.clock("Rows", page.Clock)
	if at := page.Clock; at.Error != before.Error || at.Now.Before(before.Now.Add(-2*before.Error)) {
		k.p.Errorf("Rows reads the clock as %+v, it was %+v before", page.Clock, before)
	}
	return page, nil
}

// reads compares a page with what the model has.
func (k *clerk) reads(namespace string, above int64, most int) {
	k.p.open(namespace).own() // so that the clock was read
	s := (&client{p: k.p, namespace: namespace}).space()
	var wanted, got []string
	own := ""
	if s.namespace != nil {
		own = k.p.namespaceText(*s.namespace)
	}
	for _, id := range slices.Sorted(maps.Keys(s.rows)) {
		if id > above && len(wanted) < most {
			wanted = append(wanted, (&client{namespace: namespace}).key(id)+" "+k.p.rowText(s.rows[id]))
		}
	}
	k.p.Again("Rows", func() error {
		page, err := k.Rows(k.p.Ctx, namespace, above, most)
		got = nil
		for _, r := range page.Rows {
			got = append(got, (&client{namespace: namespace}).key(r.WorkerID)+" "+k.p.rowText(r))
		}
		if is := k.p.namespaceText(page.Namespace); err == nil && is != own {
			k.p.Errorf("Rows of namespace %q: %s", namespace, suite.Differs(is, own))
		}
		return err
	})
	if !slices.Equal(got, wanted) {
		differs := suite.Differs(strings.Join(got, "\n"), strings.Join(wanted, "\n"))
		k.p.Errorf("up to %d rows above %d: %s", most, above, differs)
	}
}

// lists compares the names of all namespaces with what the model has.
func (k *clerk) lists() {
	all := map[string]bool{}
	for key := range k.p.Model.Texts() {
		name, _, _ := strings.Cut(key, "/row ")
		all[name] = true
	}
	k.p.Again("Namespaces", func() error {
		names, _, err := k.Namespaces(k.p.Ctx)
		if wanted := slices.Sorted(maps.Keys(all)); err == nil && !slices.Equal(names, wanted) {
			k.p.Errorf("Namespaces returned %q, wanted are %q", names, wanted)
		}
		return err
	})
}

func listsNamespaces(p *probe) {
	k := p.clerk()
	if names, _, err := k.Namespaces(p.Ctx); len(names) > 0 || err != nil && !errors.Is(err, errMissing) {
		p.Errorf("Namespaces of an empty store returned %q, %v; wanted are none, or ErrNoNamespace", names, err)
	}
	for _, name := range []string{"orders", "1", "orders/1", "Orders", "orders.eu", "order"} {
		p.open(name).init(func(*common) {})
	}
	look := p.open("only looked at")
	look.own()
	look.peek(0)
	k.reads("only looked at", -1, 10)
	k.lists()
	p.open("orders").put(row{WorkerID: 3, Until: early}, row{WorkerID: 4, Until: early})
	p.clerk().lists()
	if !p.Can(p.RemoveNamespace != nil, "namespaces with only rows left (the Subject has no RemoveNamespace)") {
		return
	}
	for _, name := range []string{"orders", "orders.eu"} {
		p.removed(name, func() error { return p.RemoveNamespace(name) })
	}
	k.lists()
	k.reads("orders", -1, 9)
	k.reads("orders.eu", -1, 9)
}

func opensNamespaces(p *probe) {
	name := p.name()
	var clients []*client
	for range 2 {
		s, err := p.clerk().store.Namespace(name)
		if err != nil {
			p.Fatalf("Namespace(%q): %v", name, err)
		}
		clients = append(clients, &client{p: p, store: s, namespace: name}, p.open(name))
	}
	for _, c := range clients {
		if c.Name() != clients[1].Name() {
			p.Errorf("a namespace's Name is %q and, from Open, %q", c.Name(), clients[1].Name())
		}
		c.peek(0)
	}
	clients[0].init(func(*common) {})
	clients[0].put(row{WorkerID: 3, High: 7, Until: early})
	for _, c := range clients {
		c.all()
	}
	// A store may take other names than another one. It says so with one of two errors.
	long, endless := strings.Repeat("x", 65), strings.Repeat("x", 100_000)
	for _, name := range []string{"", " ", "ä", "a\x00b", "a\nb", "'; --", "..", "/", long, endless} {
		_, err := p.clerk().store.Namespace(name)
		p.NoSecrets("Namespace", err)
		if err != nil && !errors.Is(err, uid.ErrConfig) && !errors.Is(err, uid.ErrRange) {
			p.Errorf("Namespace(%.70q) returned %v, wanted is nil, ErrConfig or ErrRange", name, err)
		}
	}
}

func readsRows(p *probe) {
	k := p.clerk()
	c, _ := p.stocked()
	for i, row := range extremes(0, c.now()) {
		row.WorkerID = []int64{0, 1, 7, 1 << 40, 1<<62 + 1}[i]
		c.put(row)
	}
	c.init(func(n *common) {
		*n = common{
			Layout: ascii, Floor: 1<<53 + 1, History: ascii[:storage.MostHistory], Made: early, Renewed: early,
			IDs: lease.Range{First: 7, Last: 1<<62 + 1}, Given: n.Given,
		}
	})
	pages, _ := p.stocked()
	for i := range int64(12) { // digits alone would sort 10 before 9
		pages.put(row{WorkerID: i * i, Until: pages.now().Add(time.Duration(i-6) * time.Hour)})
	}
	empty, _ := p.stocked()
	for _, most := range []int{1, 5, 6, 11, 12, 13} {
		for above := int64(-1); above < 130; above += 5 {
			k.reads(pages.namespace, above, most)
		}
	}
	for _, name := range []string{c.namespace, empty.namespace, p.name()} {
		k.reads(name, -1, 100)
	}
	c.all()
}

// readsAlone looks whether readers wait for others, or for longer than their contexts.
func readsAlone(p *probe) {
	k := p.clerk()
	c, _ := p.stocked(row{WorkerID: 0, Until: early, High: 5})
	rows, err := k.Rows(p.Ctx, c.namespace, -1, 9)
	if err != nil {
		p.Fatalf("Rows: %v", err)
	}
	reads := map[string]func(ctx context.Context) error{
		"Namespaces": func(ctx context.Context) error { _, _, err := k.Namespaces(ctx); return err },
		"Rows": func(ctx context.Context) error {
			again, err := k.Rows(ctx, c.namespace, -1, 9)
			if again.Clock = rows.Clock; err == nil && !reflect.DeepEqual(again, rows) {
				p.Errorf("Rows reads %+v, and before %+v", again, rows)
			}
			return err
		},
	}
	over, cancel := context.WithCancel(p.Ctx)
	cancel()
	for name, read := range reads {
		p.MayPass(name, read(over))
		p.Again(name, func() error { return read(p.Ctx) })
		decide := func(n *common, r *row, now clock) error {
			_ = p.stamp(n, r, now)
			p.MayPass(name, p.Soon(name+" while somebody decides", func() error { return read(p.Ctx) }))
			return suite.ErrLook
		}
		_ = c.Take(p.Ctx, wanted(0, 0), decide)
		_ = c.Change(p.Ctx, 0, decide)
		p.Wait()
	}
}
