package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"
)

var rowsChecks = []check{
	{"Namespaces lists all", "the names of all namespaces that have any row, in ascending order; if the place itself is missing ErrNoNamespace", listsNamespaces},
	{"Namespace is a store of leases", "a namespace as a store of leases, whether it exists or not; that store's Init makes it", opensNamespaces},
	{"Rows reads what is there", "Rows reads rows and the namespace's own as they were written, Fresh when that is missing; a namespace without any row gives a page without rows", readsRows},
	{"Rows reads in pages", "up to most rows of IDs above the one given, in ascending order", readsPages},
	{"reading needs no lock", "Namespaces and Rows need no lock", readsAtOnce},
	{"contexts end calls of a registry", "a call returns soon after its context has ended; no error holds a secret", registryContexts},
}

func listsNamespaces(p *probe) {
	k := p.clerk()
	names, _, err := k.Namespaces(p.Ctx)
	if len(names) > 0 || err != nil && !errors.Is(err, errMissing) {
		p.Errorf("Namespaces of an empty store returned %q, %v; wanted are none, or ErrNoNamespace", names, err)
	}
	wants := []string{"1", "Orders", "order", "orders", "orders.eu", "orders/1"}
	for _, i := range []int{3, 0, 5, 1, 4, 2} {
		p.open(wants[i]).create()
	}
	look := p.open("only looked at")
	look.namespace()
	if err := look.Change(p.Ctx, 0, func(*lease.Namespace, *lease.Row, lease.Clock) error { return errLook }); !errors.Is(err, errMissing) {
		p.Errorf("Change in a namespace that nobody has made returned %v", err)
	}
	k.rows("only looked at", -1, 10)
	if names := p.clerk().names(); !slices.Equal(names, wants) {
		p.Errorf("Namespaces returned %q, made were %q", names, wants)
	}
	p.open("orders").put(lease.Row{WorkerID: 3, Until: early}, lease.Row{WorkerID: 4, Until: early})
	if names := k.names(); !slices.Equal(names, wants) {
		p.Errorf("Namespaces of one with rows returned %q, made were %q", names, wants)
	}
	if p.RemoveNamespace == nil {
		p.Notef("not tried: a namespace of which only rows are left (the Subject has no RemoveNamespace)")
		return
	}
	for _, name := range []string{"orders", "orders.eu"} {
		if err := p.RemoveNamespace(name); err != nil {
			p.Fatalf("RemoveNamespace: %v", err)
		}
	}
	wants = slices.DeleteFunc(wants, func(name string) bool { return name == "orders.eu" })
	if names := k.names(); !slices.Equal(names, wants) {
		p.Errorf("when one of two namespaces has left rows, Namespaces returned %q, wanted are %q", names, wants)
	}
}

func opensNamespaces(p *probe) {
	k := p.clerk()
	name := p.namespace()
	s, err := k.store.Namespace(name)
	if err != nil {
		p.Fatalf("Namespace(%q): %v", name, err)
	}
	c := &client{p: p, store: s}
	if _, err := c.offers(wanted(0, 1)); !errors.Is(err, errMissing) {
		p.Errorf("Take in a namespace that nobody has made returned %v, wanted is ErrNoNamespace", err)
	}
	c.create()
	c.put(lease.Row{WorkerID: 3, High: 7, Until: early})
	other, err := p.clerk().store.Namespace(name)
	if err != nil {
		p.Fatalf("Namespace(%q) of one that is there: %v", name, err)
	}
	if row, found, _ := (&client{p: p, store: other}).row(3); !found || row.High != 7 {
		p.Errorf("what one store of a namespace has written another reads as %+v", row)
	}
	if opened := p.open(name).Name(); s.Name() != opened || other.Name() != opened {
		p.Errorf("a namespace's Name is %q, %q and, from Open, %q", s.Name(), other.Name(), opened)
	}
	// A store may take other names than another one. It says so with one of two errors.
	for _, name := range []string{"", " ", "ä", "a\x00b", "a\nb", "'; --", "..", "/", strings.Repeat("x", 65), strings.Repeat("x", 100_000)} {
		_, err := k.store.Namespace(name)
		p.NoSecrets("Namespace", err)
		if err != nil && !errors.Is(err, uid.ErrConfig) && !errors.Is(err, uid.ErrRange) {
			p.Errorf("Namespace(%.70q) returned %v, wanted is nil, ErrConfig or ErrRange", name, err)
		}
	}
}

// samePage compares pages without their clocks.
func samePage(a, b registry.Page) bool {
	a.Clock, b.Clock = lease.Clock{}, lease.Clock{}
	return reflect.DeepEqual(a, b)
}

func readsRows(p *probe) {
	k := p.clerk()
	c, namespace := p.made()
	var wants []lease.Row
	for i, row := range extremes(0, c.now()) {
		row.WorkerID = []int64{0, 1, 7, 1 << 40, 1<<62 + 1}[i]
		wants = append(wants, row)
		c.put(row)
	}
	own := lease.Namespace{
		Layout: ascii, Floor: 1<<53 + 1, History: ascii[:lease.MostHistory], Made: early, Renewed: c.now(),
		IDs: lease.Range{First: 7, Last: 1<<62 + 1}, Given: 1<<62 + 1,
	}
	if err := c.Init(p.Ctx, func(n *lease.Namespace, _ lease.Clock) error { *n = own; return nil }); err != nil {
		p.Fatalf("Init: %v", err)
	}
	elsewhere, other := p.made()
	elsewhere.put(lease.Row{WorkerID: 2, High: 99, Until: early})
	_, before, clock := c.row(0)
	page := k.rows(namespace, -1, 100)
	if page.Namespace.Fresh || namespaceDiff(page.Namespace, own) != "" {
		p.Errorf("Rows reads the namespace as %+v: %s", page.Namespace, namespaceDiff(page.Namespace, own))
	}
	if len(page.Rows) != len(wants) {
		p.Fatalf("Rows reads worker IDs %v, written were %v", idsOf(page.Rows), idsOf(wants))
	}
	for i, row := range page.Rows {
		if d := rowDiff(row, wants[i]); d != "" {
			p.Errorf("Rows reads worker ID %d with other values: %s", row.WorkerID, d)
		}
	}
	if _, after, _ := c.row(0); before != after || !samePage(page, k.rows(namespace, -1, 100)) {
		p.Errorf("Rows has changed what it reads")
	}
	if page.Clock.Error != clock.Error || page.Clock.Now.Before(clock.Now.Add(-2*clock.Error)) {
		p.Errorf("Rows reads the clock as %+v, where Change had read %+v before", page.Clock, clock)
	}
	if page := k.rows(other, -1, 100); !slices.Equal(idsOf(page.Rows), []int64{2}) || page.Namespace.Layout != "made by the suite" {
		p.Errorf("Rows of another namespace are %+v", page)
	}
	if page := k.rows("never-made", -1, 100); !page.Namespace.Fresh || len(page.Rows) > 0 {
		p.Errorf("Rows of a namespace that nobody has made are %+v, wanted is none, and Fresh", page)
	}
	if _, without := p.made(); len(k.rows(without, -1, 100).Rows) > 0 || k.rows(without, -1, 100).Namespace.Fresh {
		p.Errorf("Rows of a namespace without IDs are %+v", k.rows(without, -1, 100))
	}
	if p.RemoveNamespace == nil {
		p.Notef("not tried: a namespace of which only rows are left (the Subject has no RemoveNamespace)")
		return
	}
	if err := p.RemoveNamespace(namespace); err != nil {
		p.Fatalf("RemoveNamespace: %v", err)
	}
	if page := k.rows(namespace, -1, 100); !page.Namespace.Fresh || !slices.Equal(idsOf(page.Rows), idsOf(wants)) {
		p.Errorf("Rows of a namespace of which only rows are left are %+v, wanted is Fresh, and %v", page, idsOf(wants))
	}
}

func readsPages(p *probe) {
	k := p.clerk()
	c, namespace := p.made()
	var all []int64
	for i := range int64(12) {
		// Digits alone would sort 10 before 9.
		all = append(all, i*i)
	}
	for i := range all {
		c.put(lease.Row{WorkerID: all[i], Until: c.now().Add(time.Duration(i-6) * time.Hour)})
	}
	for _, most := range []int{1, 5, 6, 11, 12, 13} {
		for above := int64(-1); above < 130; above += 3 {
			wants := all[len(all)-count(all, above):]
			if wants = wants[:min(most, len(wants))]; !slices.Equal(idsOf(k.rows(namespace, above, most).Rows), wants) {
				p.Errorf("up to %d rows above %d are of worker IDs %v, wanted are %v", most, above, idsOf(k.rows(namespace, above, most).Rows), wants)
			}
		}
	}
	if page := k.rows(namespace, all[11], 3); page.Namespace.Fresh {
		p.Errorf("a page without rows, after the last, has the namespace as %+v", page.Namespace)
	}
}

// count returns how many of ids lie above the one given.
func count(ids []int64, above int64) (n int) {
	for _, id := range ids {
		if id > above {
			n++
		}
	}
	return n
}

func readsAtOnce(p *probe) {
	k := p.clerk()
	c, namespace := p.made()
	c.put(lease.Row{WorkerID: 0, Until: early, High: 5})
	var all sync.WaitGroup
	reads := func(what string) {
		done := make(chan struct{})
		all.Go(func() {
			defer close(done)
			p.Guarded(func() {
				if page := k.rows(namespace, -1, 9); len(page.Rows) != 1 || page.Rows[0].High != 5 || page.Namespace.Layout != "made by the suite" {
					p.Errorf("%s decides, and Rows reads %+v", what, page)
				}
				k.names()
			})
		})
		timer := time.NewTimer(p.Soon)
		defer timer.Stop()
		select {
		case <-done:
		case <-timer.C:
			p.Errorf("Rows or Namespaces wait for a %s that decides", what)
		}
	}
	_ = c.Take(p.Ctx, wanted(0, 0), func(n *lease.Namespace, r *lease.Row, _ lease.Clock) error {
		n.Layout, r.High = "changed", 6
		reads("Take")
		return errLook
	})
	_ = c.Change(p.Ctx, 0, func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error {
		r.High = 7
		reads("Change")
		return errLook
	})
	all.Wait()
}

func registryContexts(p *probe) {
	k := p.clerk()
	c, namespace := p.made()
	c.put(lease.Row{WorkerID: 0, Until: early})
	ways := map[string]func(ctx context.Context) error{
		"Namespaces": func(ctx context.Context) error { _, _, err := k.Namespaces(ctx); return err },
		"Rows":       func(ctx context.Context) error { _, err := k.Rows(ctx, namespace, -1, 9); return err },
	}
	judge := func(name string, err error) {
		if err != nil && !retry.IsTransient(err) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
			p.Errorf("%s: a call whose context ended came to %v, which neither wraps that nor is marked as one that may pass", name, err)
		}
	}
	ended, cancel := context.WithCancel(p.Ctx)
	cancel()
	for name, call := range ways {
		judge(name, call(ended))
	}
	for name, call := range ways {
		p.Again(name, func() error { return call(p.Ctx) })
	}
	if got := fmt.Sprint(idsOf(k.rows(namespace, -1, 9).Rows)); got != "[0]" {
		p.Errorf("after calls whose contexts ended the rows are %v", got)
	}
}
