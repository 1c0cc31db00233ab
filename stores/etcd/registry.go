package etcd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"
)

// Namespaces implements [registry.Store]. It makes one request for each namespace, and reads no
// values.
func (s *Store) Namespaces(ctx context.Context) (names []string, now lease.Clock, err error) {
	dir := s.cfg.Prefix + leasesDir
	end := clientv3.GetPrefixRangeEnd(dir)
	for from := dir; ; {
		r, err := s.get(ctx, "list the namespaces", clientv3.OpGet(from, clientv3.WithRange(end), clientv3.WithLimit(1), clientv3.WithKeysOnly()))
		if err != nil {
			return nil, s.clock(), err
		}
		if len(r.responses[0].Kvs) == 0 {
			break
		}
		segment, _, _ := strings.Cut(strings.TrimPrefix(string(r.responses[0].Kvs[0].Key), dir), "/")
		if name, ok := nameOf(segment); ok {
			names = append(names, name)
		}
		from = clientv3.GetPrefixRangeEnd(dir + segment + "/")
	}
	if len(names) == 0 {
		return nil, s.clock(), fmt.Errorf("%w: etcd has no keys below %s", worker.ErrNoNamespace, dir)
	}
	slices.Sort(names)
	return names, s.clock(), nil
}

// Rows implements [registry.Store]. It makes one request.
func (s *Store) Rows(ctx context.Context, namespace string, above int64, most int) (p registry.Page, err error) {
	l, err := s.Leases(namespace)
	if err != nil {
		return p, err
	}
	r, err := s.get(ctx, "read the leases", clientv3.OpGet(l.keys.namespace), l.rowsAbove(above, most))
	if err != nil {
		return p, err
	}
	n, err := l.space(r, 0)
	if err != nil {
		return p, err
	}
	rows, err := l.rows(r.responses[1].Kvs)
	if err != nil {
		return p, err
	}
	p.Namespace, p.Clock = n.Namespace, s.clock()
	for _, k := range rows {
		p.Rows = append(p.Rows, k.Row)
	}
	return p, nil
}
