package zookeeper

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"
)

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
		p, err := l.page(ctx, above, most)
		if err != errRaced {
			return p, err
		}
	}
}

// page reads up to most rows above an ID.
func (l *Leases) page(ctx context.Context, above int64, most int) (p registry.Page, err error) {
	p.Namespace = lease.Namespace{Given: -1, Floor: -1, Fresh: true}
	if err := l.ready(ctx); err != nil {
		return p, err
	}
	session, _, err := l.barrier(ctx)
	if err != nil {
		return p, err
	}
	var control node
	var children names
	// The namespace first: what is read after it is of no older state, so that no row up to its Given
	// is missing for having been made since.
	if err := together(ctx, l.get(l.path, &control)); err != nil {
		return p, err
	}
	if err := together(ctx, l.children(l.path, &children)); err != nil {
		return p, err
	}
	if err := cmp.Or(control.err, children.err); err != nil {
		return p, err
	}
	if control.made() {
		if p.Namespace, err = readNamespace(l.path, control.data); err != nil {
			return p, err
		}
	}
	ids := slices.DeleteFunc(children.ids(), func(id int64) bool { return id <= above })
	ids = ids[:min(most, len(ids))]
	for part := range slices.Chunk(ids, batch) {
		nodes, err := l.getRows(ctx, part)
		if err != nil {
			return p, err
		}
		for i, n := range nodes {
			if n.err != nil {
				return p, n.err
			}
			if !n.found {
				continue // somebody has removed it since
			}
			r, err := readRow(l.row(part[i]), part[i], n.data)
			if err != nil {
				return p, err
			}
			p.Rows = append(p.Rows, r)
		}
	}
	p.Clock = l.clock()
	return p, attempt{l.conn, session, true}.whole()
}
