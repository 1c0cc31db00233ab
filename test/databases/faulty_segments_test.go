package databases_test

import (
	"testing"

	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/segment"
)

// Segments returns the database's table of segments, each of whose clients has a pool of its own.
// The programs that know nothing of takers are Leaf.
func (d faultyDatabase) Segments(t *testing.T) segmenttest.Subject {
	all := d.clients(t)
	out := segmenttest.Subject{
		Open: func() (segment.Store, error) {
			tables, f := all.open()
			s := tables.Segments()
			all.faults.Store(s, f)
			return s, nil
		},
		Fault:   func(client segment.Store, fault segmenttest.Fault) bool { return all.fault(client, fault) },
		Deliver: all.deliver,
		Foreign: func(tag string, n int64) (first int64, err error) {
			r, _, err := d.mapper(t.Context(), tag, n)
			return r.First, err
		},
		Lower: func(tag string, next int64) error {
			if next < 0 {
				return d.do("DELETE FROM leaf_alloc WHERE biz_tag = ?", tag)
			}
			return d.do("UPDATE leaf_alloc SET max_id = ? WHERE biz_tag = ?", next, tag)
		},
		Secret: canary,
	}
	out.Backup = func() func() {
		segments := d.backup(t, "leaf_alloc", "biz_tag, max_id, step, description, update_time")
		takers := d.backup(t, "leaf_alloc_takers", "biz_tag, nonce, takers")
		return func() {
			all.made.server.Add(1)
			segments()
			takers()
		}
	}
	return out
}
