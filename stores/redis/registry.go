package redis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

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
func (s *Store) Rows(ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
	l, err := s.Leases(namespace)
	if err != nil {
		return registry.Page{}, err
	}
	p, err := l.page(ctx, above, most)
	return p.Page, err
}

// A page is rows with the texts that were read.
type page struct {
	registry.Page
	state
	namespace string
	texts     []stored // of Rows
}

func (l *Leases) page(ctx context.Context, above int64, most int) (p page, err error) {
	const doing = "read rows"
	a, err := l.store.read(ctx, doing, pageScript, l.keys, above, most)
	if err != nil {
		return p, err
	}
	p = page{state: a.state, namespace: a.text(), Page: registry.Page{Namespace: lease.Namespace{Fresh: true}, Clock: a.clock}}
	if p.texts, err = l.rows(a); err != nil {
		return p, err
	}
	if p.namespace != "" {
		if p.Namespace, err = l.parseNamespace(p.namespace); err != nil {
			return p, err
		}
	}
	for _, s := range p.texts {
		row, err := l.parseRow(s.id, s.text)
		if err != nil {
			return p, err
		}
		p.Rows = append(p.Rows, row)
	}
	return p, a.done(doing)
}

// pruneLook is how many rows Prune reads at a time to find old ones.
const pruneLook = 500

// Prune implements [registry.Store]. It reads rows page by page until it has as many old ones as
// are wanted, and removes them by one script, if neither they nor the namespace were written
// meanwhile; else it starts again.
func (s *Store) Prune(ctx context.Context, namespace string, above int64, most int, old time.Duration, decide func(registry.Page) ([]int64, error)) (removed []int64, err error) {
	l, err := s.Leases(namespace)
	if err != nil {
		return nil, err
	}
	for {
		p, err := l.oldRows(ctx, above, most, old)
		if err != nil {
			return nil, err
		}
		was := p.Namespace
		ids, err := decide(p.Page)
		if err != nil || was.Fresh {
			return nil, err
		}
		var changes []change
		removed = nil
		for _, t := range p.texts {
			if !slices.Contains(ids, t.id) {
				continue
			}
			row, err := l.parseRow(t.id, t.text) // as read, whatever decide did to it
			if err != nil {
				return nil, err
			}
			was.Floor = max(was.Floor, row.High)
			removed = append(removed, t.id)
			changes = append(changes, change{id: t.id, was: t.text})
		}
		if len(removed) == 0 {
			return nil, nil
		}
		// The namespace is written even if its floor stays: a Take of one of these IDs that is on its
		// way has read a row that is not there any more, or none.
		was.Renewed = p.clock.Now
		text, err := namespaceText(was)
		if err != nil {
			return nil, err
		}
		if stored, err := l.write(ctx, p.history, p.namespace, text, changes...); stored || err != nil {
			return removed, err
		}
	}
}

// oldRows reads up to most rows whose leases have been over for longer than old.
func (l *Leases) oldRows(ctx context.Context, above int64, most int, old time.Duration) (page, error) {
	var rows []lease.Row
	var texts []stored
	history := ""
	for {
		p, err := l.page(ctx, above, pruneLook)
		if err != nil {
			return p, err
		}
		if history != "" && p.history != history { // a page from before must not be written
			return page{}, worker.Transient(errors.New("redis: read rows: the server was replaced or restarted meanwhile"))
		}
		history = p.history
		for i, row := range p.Rows {
			if row.Until.Before(p.clock.Now.Add(-old)) && len(rows) < most {
				rows, texts = append(rows, row), append(texts, p.texts[i])
			}
		}
		if len(p.Rows) < pruneLook || len(rows) == most {
			p.Rows, p.texts = rows, texts
			return p, nil
		}
		above = p.Rows[len(p.Rows)-1].WorkerID
	}
}
