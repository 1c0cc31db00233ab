package zookeeper

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"
)

// maxPrune is how many rows Prune removes at once: its request stays far below jute.maxbuffer.
const maxPrune = 1000

// Namespaces implements [registry.Store]. It needs the right to read.
func (s *Store) Namespaces(ctx context.Context) (found []string, now lease.Clock, err error) {
	if err := s.ready(ctx); err != nil {
		return nil, s.clock(), err
	}
	if _, _, err := s.barrier(ctx); err != nil {
		return nil, s.clock(), err
	}
	var root node
	var all names
	if err := together(ctx, s.get(s.root, &root), s.children(s.root, &all)); err != nil {
		return nil, s.clock(), err
	}
	if err := cmp.Or(root.err, all.err); err != nil {
		return nil, s.clock(), err
	}
	if !root.found {
		return nil, s.clock(), fmt.Errorf("%w: there is no node %s", worker.ErrNoNamespace, s.root)
	}
	// The others may have long lists: those of segments do.
	all.names = slices.DeleteFunc(all.names, func(name string) bool { _, ours := unescape(name); return !ours })
	for part := range slices.Chunk(all.names, batch) {
		nodes, children := make([]node, len(part)), make([]names, len(part))
		var requests []func()
		for i, name := range part {
			path := s.root + "/" + name
			requests = append(requests, s.get(path, &nodes[i]), s.children(path, &children[i]))
		}
		if err := together(ctx, requests...); err != nil {
			return nil, s.clock(), err
		}
		for i, name := range part {
			if err := cmp.Or(nodes[i].err, children[i].err); err != nil {
				return nil, s.clock(), err
			}
			if nodes[i].made() || len(children[i].ids()) > 0 {
				namespace, _ := unescape(name)
				found = append(found, namespace)
			}
		}
	}
	slices.Sort(found)
	return found, s.clock(), nil
}

// Rows implements [registry.Store]. It needs the right to read.
func (s *Store) Rows(ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
	l, err := s.Leases(namespace)
	if err != nil {
		return registry.Page{}, err
	}
	for {
		p, err := l.page(ctx, above, most, func(lease.Row, lease.Clock) bool { return true })
		if err == errRaced {
			continue
		}
		if err != nil {
			return registry.Page{}, err
		}
		// A Prune changes the namespace: there was none while the rows were read.
		var again node
		if err := together(ctx, l.get(l.path, &again)); err != nil {
			return registry.Page{}, err
		}
		if again.err != nil || again.version == p.version {
			return p.Page, again.err
		}
	}
}

// A page is a registry's page with the versions of what was read.
type page struct {
	registry.Page
	version  int32 // of the namespace
	versions map[int64]int32
}

// page reads up to most rows above an ID that are wanted.
func (l *Leases) page(ctx context.Context, above int64, most int, wanted func(lease.Row, lease.Clock) bool) (p page, err error) {
	p = page{Page: registry.Page{Namespace: lease.Namespace{Floor: -1, Fresh: true}}, versions: map[int64]int32{}}
	if err := l.ready(ctx); err != nil {
		return p, err
	}
	session, _, err := l.barrier(ctx)
	if err != nil {
		return p, err
	}
	var control node
	var children names
	// The namespace first: what is read after it is of no older state, so that a row which was
	// removed before is not taken for one that was made since, with the same version.
	if err := together(ctx, l.get(l.path, &control)); err != nil {
		return p, err
	}
	if err := together(ctx, l.children(l.path, &children)); err != nil {
		return p, err
	}
	if err := cmp.Or(control.err, children.err); err != nil {
		return p, err
	}
	p.version = control.version
	if control.made() {
		if p.Namespace, err = readNamespace(l.path, control.data); err != nil {
			return p, err
		}
	}
	ids := slices.DeleteFunc(children.ids(), func(id int64) bool { return id <= above })
	p.Clock = l.clock()
	for part := range slices.Chunk(ids, batch) {
		if len(p.Rows) >= most {
			break
		}
		nodes, err := l.getRows(ctx, part)
		if err != nil {
			return p, err
		}
		p.Clock = l.clock()
		for i, n := range nodes {
			if n.err != nil {
				return p, n.err
			}
			if !n.found || len(p.Rows) >= most {
				continue
			}
			r, err := readRow(l.row(part[i]), part[i], n.data)
			if err != nil {
				return p, err
			}
			if wanted(r, p.Clock) {
				p.Rows = append(p.Rows, r)
				p.versions[r.WorkerID] = n.version
			}
		}
	}
	return p, attempt{l.conn, session, true}.whole()
}

// Prune implements [registry.Store]. It removes at most 1,000 rows in one call, and needs the
// rights to read and write nodes and to delete children of the namespace's. It returns
// [worker.ErrClock] as Take does.
func (s *Store) Prune(ctx context.Context, name string, above int64, most int, old time.Duration, decide func(registry.Page) ([]int64, error)) (removed []int64, err error) {
	l, err := s.Leases(name)
	if err != nil {
		return nil, err
	}
	for {
		removed, err = l.prune(ctx, above, min(most, maxPrune), old, decide)
		if err != errRaced {
			return removed, err
		}
	}
}

func (l *Leases) prune(ctx context.Context, above int64, most int, old time.Duration, decide func(registry.Page) ([]int64, error)) (removed []int64, err error) {
	p, err := l.page(ctx, above, most, func(r lease.Row, now lease.Clock) bool { return r.Until.Add(old + now.Error).Before(now.Now) })
	if err != nil {
		return nil, err
	}
	if !p.Namespace.Fresh {
		var leader reading
		if err := together(ctx, l.ask(&leader)); err != nil {
			return nil, err
		}
		if err := l.measured(ctx, leader); err != nil {
			return nil, err
		}
	}
	ids, err := decide(p.Page)
	if err != nil || p.Namespace.Fresh || len(ids) == 0 {
		return nil, err
	}
	control := p.Namespace
	var deletes []any
	for _, r := range p.Rows {
		if slices.Contains(ids, r.WorkerID) {
			removed, control.Floor = append(removed, r.WorkerID), max(control.Floor, r.High)
			deletes = append(deletes, &zk.DeleteRequest{Path: l.row(r.WorkerID), Version: p.versions[r.WorkerID]})
		}
	}
	if len(removed) == 0 {
		return nil, nil
	}
	control.Renewed = p.Clock.Now
	data, err := writeNamespace(l.path, control)
	if err != nil {
		return nil, err
	}
	// It changes the namespace's version in any case: a late write of a row that was made anew
	// is known by that.
	if _, err := l.write(ctx, append(deletes, &zk.SetDataRequest{Path: l.path, Data: data, Version: p.version})...); err != nil {
		return nil, err
	}
	return removed, nil
}
