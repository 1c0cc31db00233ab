package etcd

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/uidgen/uid/segment"
)

// Segments are the rows of package segment below a prefix, one for each tag, and a [segment.Store].
// Make it with [Store.Segments]. All methods may be called by any number of goroutines at once.
type Segments struct {
	store *Store
	keys  string // begins all of them
}

var _ segment.Store = (*Segments)(nil)

// segmentsDir is beside leasesDir.
const segmentsDir = "segments/"

// Segments returns the rows of all tags below the prefix. Programs that draw numbers of the same
// tags have the same Prefix; nothing else of [Config] has to be the same. It sends nothing.
func (s *Store) Segments() *Segments { return &Segments{store: s, keys: s.cfg.Prefix + segmentsDir} }

// Name returns the prefix: segments of etcd below uid/segments/.
func (s *Segments) Name() string { return "segments of etcd below " + s.keys }

// Inspect implements [segment.Store], as [Leases.Inspect] does for leases.
func (s *Segments) Inspect(ctx context.Context) (lossy []string, err error) {
	return s.store.inspect(ctx)
}

// Change implements [segment.Store]. It takes two requests, and one more each time that another
// client has been faster. It returns [segment.ErrLost] for a row that was written in another
// cluster than the one that answers.
func (s *Segments) Change(ctx context.Context, tag string, decide func(*segment.Row) error) error {
	const doing = "change a segment"
	if err := segment.CheckTag(tag); err != nil {
		return err
	}
	key := s.key(tag)
	get := []clientv3.Op{clientv3.OpGet(key)}
	r, err := s.store.get(ctx, doing, get...)
	for {
		if err != nil {
			return err
		}
		was := r.one(0, key)
		row, err := s.offer(tag, was, r.cluster)
		if err != nil {
			return err
		}
		if err := decide(&row); err != nil {
			return err
		}
		put, err := s.put(tag, row, r.cluster)
		if err != nil {
			return err
		}
		now, stored, err := s.store.write(ctx, doing, r, []record{was}, []clientv3.Op{put}, get)
		if err != nil || stored {
			return err
		}
		r = now
	}
}

// Rows implements [segment.Store]. It makes one request for each 500 rows.
func (s *Segments) Rows(ctx context.Context, after string, most int) (rows []segment.Row, err error) {
	err = s.each(ctx, after, most, func(tag string, is record, _ uint64) error {
		v, err := decodeSegment(tag, is)
		rows = append(rows, v.row)
		return err
	})
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// each calls f with up to most records after a tag, and the cluster that has them.
func (s *Segments) each(ctx context.Context, after string, most int, f func(tag string, is record, cluster uint64) error) error {
	from, end := s.keys, clientv3.GetPrefixRangeEnd(s.keys)
	if after != "" {
		from = s.key(after) + "\x00"
	}
	for most > 0 {
		r, err := s.store.get(ctx, "read the segments", clientv3.OpGet(from, clientv3.WithRange(end), clientv3.WithLimit(int64(min(most, page)))))
		if err != nil {
			return err
		}
		for _, kv := range r.responses[0].Kvs {
			is := recordOf(kv)
			tag, err := s.tag(is.key)
			if err != nil {
				return err
			}
			if err := f(tag, is, r.cluster); err != nil {
				return err
			}
			from = is.key + "\x00"
		}
		most -= len(r.responses[0].Kvs)
		if !r.responses[0].More {
			return nil
		}
	}
	return nil
}
