package stores

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// registered is a [Store.Registry].
type registered struct{ driver Driver }

var _ registry.Store = registered{}

// Registry is that of the Store: package debug asks for it.
func (l *leases) Registry() registry.Store { return registered{l.driver} }

// Namespace implements [registry.Store].
func (r registered) Namespace(name string) (lease.Store, error) {
	name, err := settings.Namespace(name)
	if err != nil {
		return nil, err
	}
	return &leases{r.driver, name}, nil
}

// Namespaces implements [registry.Store]. It makes some requests, each about one namespace.
func (r registered) Namespaces(ctx context.Context) (names []string, now storage.Clock, err error) {
	if l, is := r.driver.(Lister); is {
		names, now, err = r.listed(ctx, l)
	} else {
		names, now, err = r.found(ctx)
	}
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%w: there is none in %s", worker.ErrNoNamespace, r.driver.Name())
	}
	slices.Sort(names)
	return names, now, err
}

// listed returns those namespaces of a list that are there, or have rows.
func (r registered) listed(ctx context.Context, l Lister) (names []string, now storage.Clock, err error) {
	listed, at, err := l.Namespaces(ctx)
	if now = storage.Clock(at); err != nil {
		return nil, now, err
	}
	for _, name := range listed {
		p, err := r.page(ctx, name, -1, 1)
		if err != nil {
			return nil, now, err
		}
		if p.Records[0].Text != "" || len(p.Pages[0]) > 0 {
			names = append(names, name)
		}
	}
	return names, now, nil
}

// found looks for the first key of each namespace.
func (r registered) found(ctx context.Context) (names []string, now storage.Clock, err error) {
	for from := leasesDir; ; {
		a, err := r.driver.Read(ctx, Query{Ranges: []Range{{from, leasesDir + "~", 1}}, Newest: true})
		if err != nil {
			return nil, now, err
		}
		now = storage.Clock(a.Clock)
		if len(a.Pages[0]) == 0 {
			return names, now, nil
		}
		part, _, _ := strings.Cut(strings.TrimPrefix(a.Pages[0][0].Key, leasesDir), "/")
		if name, ok := nameOf(part); ok {
			names = append(names, name)
		}
		from = leasesDir + part + "0" // which follows the slash
	}
}

// page reads a namespace's own key, and the next rows above an ID.
func (r registered) page(ctx context.Context, name string, above int64, most int) (*Answer, error) {
	l := leases{r.driver, name}
	if above == math.MaxInt64 {
		above, most = above-1, 0
	}
	return r.driver.Read(ctx, Query{Keys: []string{l.own()}, Ranges: []Range{l.rows(above+1, math.MaxInt64, most)},
		Newest: true})
}

// Rows implements [registry.Store], in one request. It needs only the right to read.
func (r registered) Rows(ctx context.Context, name string, above int64, most int) (p registry.Page, err error) {
	name, err = settings.Namespace(name)
	if err != nil {
		return p, err
	}
	l := leases{r.driver, name}
	a, err := r.page(ctx, name, above, most)
	if err != nil {
		return p, err
	}
	p.Clock = storage.Clock(a.Clock)
	if p.Namespace, err = l.parse(a.Records[0]); err != nil {
		return p, err
	}
	for _, record := range a.Pages[0] {
		row, err := l.parseRow(record)
		if err != nil {
			return p, err
		}
		p.Rows = append(p.Rows, row)
	}
	return p, nil
}
