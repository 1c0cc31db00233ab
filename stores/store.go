package stores

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/internal/namespace"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/segmentjson"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// A Store holds namespaces of leases, and segments, in the database of a [Driver]. It is a
// [registry.Store]. Make it with [New]. All methods may be called by any number of goroutines at once.
type Store struct{ driver Driver }

var _ registry.Store = (*Store)(nil)

// New returns a store. It asks the database for nothing.
func New(d Driver) *Store { return &Store{d} }

// Leases returns a namespace of leases. Namespaces keep apart services that share a database: worker IDs
// are unique within one, and all UIDs of one have the same layout. UIDs of two namespaces can be equal.
//
// The name has at most 64 characters: ASCII letters, digits, spaces (not at its ends) and
// !"#$%&'()*+,-./:;<=>?_, as in every kind of store. For "" it is "default". Leases returns
// [uid.ErrConfig] or [uid.ErrRange] for all other names. It asks the database for nothing.
func (s *Store) Leases(name string) (lease.Store, error) {
	l, err := s.namespace(name)
	if err != nil {
		return nil, err
	}
	return l, nil
}

func (s *Store) namespace(name string) (*leases, error) {
	name, err := namespace.Resolve(name)
	if err != nil {
		return nil, err
	}
	return &leases{s.driver, name}, nil
}

// Namespace is [Store.Leases], for the command.
func (s *Store) Namespace(name string) (lease.Store, error) { return s.Leases(name) }

// Segments returns the rows of all tags. It asks the database for nothing.
func (s *Store) Segments() segment.Store { return NewSegments(s.driver, segmentjson.JSON{}) }

// Namespaces implements [registry.Store]. It makes some requests, of which each is about one namespace.
func (s *Store) Namespaces(ctx context.Context) (names []string, now leasestore.Clock, err error) {
	if l, is := s.driver.(Lister); is {
		names, now, err = s.listed(ctx, l)
	} else {
		names, now, err = s.found(ctx)
	}
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%w: there is none in %s", worker.ErrNoNamespace, s.driver.Name())
	}
	slices.Sort(names)
	return names, now, err
}

// listed returns those namespaces of a list that are there, or have rows.
func (s *Store) listed(ctx context.Context, l Lister) (names []string, now leasestore.Clock, err error) {
	listed, now, err := l.Namespaces(ctx)
	if err != nil {
		return nil, now, err
	}
	for _, name := range listed {
		p, err := s.page(ctx, name, -1, 1)
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
func (s *Store) found(ctx context.Context) (names []string, now leasestore.Clock, err error) {
	for from := leasesDir; ; {
		a, err := s.driver.Read(ctx, Query{Ranges: []Range{{from, leasesDir + "~", 1}}, Newest: true})
		if err != nil {
			return nil, now, err
		}
		now = a.Clock
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
func (s *Store) page(ctx context.Context, name string, above int64, most int) (*Answer, error) {
	l := leases{s.driver, name}
	if above == math.MaxInt64 {
		above, most = above-1, 0
	}
	return s.driver.Read(ctx, Query{Keys: []string{l.own()}, Ranges: []Range{l.rows(above+1, math.MaxInt64, most)}, Newest: true})
}

// Rows implements [registry.Store], in one request. It needs only the right to read.
func (s *Store) Rows(ctx context.Context, name string, above int64, most int) (p registry.Page, err error) {
	l, err := s.namespace(name)
	if err != nil {
		return p, err
	}
	a, err := s.page(ctx, l.name, above, most)
	if err != nil {
		return p, err
	}
	p.Clock = a.Clock
	if p.Namespace, err = l.parse(a.Records[0]); err != nil {
		return p, err
	}
	for _, record := range a.Pages[0] {
		r, err := l.parseRow(record)
		if err != nil {
			return p, err
		}
		p.Rows = append(p.Rows, r)
	}
	return p, nil
}
