package redis

import (
	"context"
	"fmt"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"
)

var _ registry.Store = (*Store)(nil)

// Namespaces implements [registry.Store], in two round trips; the Clock is that of the server that
// has the names. A name is listed if Init has added it, and if there is a row.
func (s *Store) Namespaces(ctx context.Context) (names []string, now lease.Clock, err error) {
	const doing = "read the namespaces"
	a, err := s.read(ctx, doing, namesScript, []string{s.namesKey()})
	if err != nil {
		return nil, now, err
	}
	list := a.list()
	for len(list.values) > 0 {
		names = append(names, list.text())
	}
	a.err = list.err
	if err := a.done(doing); err != nil {
		return nil, now, err
	}
	if len(names) == 0 {
		return nil, a.clock, fmt.Errorf("%w: there is no key %s", worker.ErrNoNamespace, s.namesKey())
	}
	slices.Sort(names)
	there := make([]*redis.IntCmd, len(names))
	pipe := s.client.Pipeline()
	for i, name := range names {
		there[i] = pipe.Exists(ctx, s.keys(name)[:2]...)
	}
	err = await(ctx, func() error {
		_, err := pipe.Exec(ctx)
		return err
	})
	if err != nil {
		return nil, now, failed(doing, err)
	}
	known := names
	names = nil
	for i, name := range known {
		if there[i].Val() > 0 {
			names = append(names, name)
		}
	}
	return names, a.clock, nil
}

// Rows implements [registry.Store], in one round trip.
func (s *Store) Rows(ctx context.Context, namespace string, above int64, most int) (p registry.Page, err error) {
	const doing = "read rows"
	l, err := s.Leases(namespace)
	if err != nil {
		return p, err
	}
	a, err := s.read(ctx, doing, pageScript, l.keys, above, most)
	if err != nil {
		return p, err
	}
	p = registry.Page{Namespace: lease.Namespace{Given: -1, Floor: -1, Fresh: true}, Clock: a.clock}
	if text := a.text(); text != "" {
		if p.Namespace, err = l.parseNamespace(text); err != nil {
			return p, err
		}
	}
	texts, err := l.rows(a)
	if err != nil {
		return p, err
	}
	for _, s := range texts {
		row, err := l.parseRow(s.id, s.text)
		if err != nil {
			return p, err
		}
		p.Rows = append(p.Rows, row)
	}
	return p, a.done(doing)
}
