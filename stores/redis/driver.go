package redis

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/uidgen/uid/stores"
)

// A driver keeps the texts of package stores in Redis: rows are in a hash, beside an index of their IDs,
// and the text of a tag is in two keys; see segments.go.
type driver struct {
	codec  // of segments
	client redis.UniversalClient
	prefix string
	known  sync.Map // what this process has put into the indexes, and under which history
}

// Name implements [stores.Driver].
func (d *driver) Name() string { return fmt.Sprintf("Redis keys %s:*", d.prefix) }

// Durable implements [stores.Driver]: it is false.
func (d *driver) Durable() bool { return false }

// keys are those of a namespace. The braces put all of them into one slot of a Redis Cluster, so that a
// script can use them together. Neither a name nor a prefix has braces.
func (d *driver) keys(namespace string) []string {
	base := d.prefix + ":{" + namespace + "}:"
	return []string{base + "namespace", base + "rows", base + "ids"}
}

// names is the key of the set of all namespaces' names, tags that of the sorted set of tags.
func (d *driver) names() string { return d.prefix + ":namespaces" }
func (d *driver) tags() string  { return d.prefix + ":segments" }

// Read implements [stores.Driver].
func (d *driver) Read(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	_, a, err := d.request(ctx, q, nil)
	return a, err
}

// Write implements [stores.Driver].
func (d *driver) Write(ctx context.Context, w stores.Write) (stored bool, now *stores.Answer, err error) {
	for _, put := range w.Puts {
		// The namespace's own key is written when it is made, and under each new history.
		if k, _ := stores.ParseKey(put.Key); k.ID < 0 {
			if err := d.register(ctx, k, w.Read.Clock.History); err != nil {
				return false, nil, err
			}
		}
	}
	return d.request(ctx, w.Otherwise, &w)
}

// register adds a tag or a namespace to its index, before it is there itself, and once in each process for a history:
// the index may be on another server than the row, and lose the name alone.
func (d *driver) register(ctx context.Context, k stores.Key, history string) error {
	if under, known := d.known.Load(k); known && under == history {
		return nil
	}
	add := redis.NewIntCmd(ctx, "zadd", d.tags(), 0, k.Tag)
	if k.Tag == "" {
		add = redis.NewIntCmd(ctx, "sadd", d.names(), k.Namespace)
	}
	if err := d.process(ctx, add); err != nil {
		return failed(err)
	}
	d.known.Store(k, history)
	return nil
}

// request reads, after it has written if that is wanted.
func (d *driver) request(ctx context.Context, q stores.Query, w *stores.Write,
) (stored bool, _ *stores.Answer, err error) {
	first := ""
	if len(q.Keys) > 0 {
		first = q.Keys[0]
	} else if len(q.Ranges) > 0 {
		first = q.Ranges[0].First
	}
	k, _ := stores.ParseKey(first)
	switch {
	case k.Tag != "" && len(q.Keys) > 0:
		return d.segment(ctx, k.Tag, w)
	case k.Namespace == "":
		a, err := d.segments(ctx, q)
		return false, a, err
	}
	var were, puts, ids, ranges []any
	history := ""
	if w != nil {
		history, were, puts = w.Read.Clock.History, pairs(w.Were), pairs(w.Puts)
	}
	for _, key := range q.Keys {
		ids = append(ids, field(key))
	}
	for _, r := range q.Ranges {
		ranges = append(ranges, field(r.First), field(r.Last), r.Limit)
	}
	args := []any{history}
	for _, list := range [][]any{were, puts, ids, ranges} {
		args = append(append(args, len(list)), list...)
	}
	a, stored, err := d.run(ctx, leasesScript, w != nil, d.keys(k.Namespace), args...)
	if err != nil || stored {
		return stored, nil, err
	}
	now := &stores.Answer{Clock: a.clock}
	records, pages := a.list(), a.list()
	for _, key := range q.Keys {
		now.Records = append(now.Records, stores.Record{Key: key, Text: records.text()})
	}
	for range q.Ranges {
		var page []stores.Record
		for list := pages.list(); len(list.values) > 0; {
			k.ID = list.number()
			page = append(page, stores.Record{Key: k.String(), Text: list.text()})
		}
		now.Pages = append(now.Pages, page)
	}
	a.bad = a.bad || records.bad || pages.bad
	return false, now, a.err()
}

// pairs are IDs and texts.
func pairs(records []stores.Record) (list []any) {
	for _, r := range records {
		list = append(list, field(r.Key), r.Text)
	}
	return list
}

// field is the ID of a row, of 19 digits, or "" for the namespace's own key.
func field(key string) string {
	if k, _ := stores.ParseKey(key); k.ID < 0 {
		return ""
	}
	return key[strings.LastIndexByte(key, '/')+1:]
}

// Namespaces implements [stores.Lister].
func (d *driver) Namespaces(ctx context.Context) (names []string, now stores.Clock, err error) {
	a, _, err := d.run(ctx, namesScript, false, []string{d.names()})
	if err != nil {
		return nil, now, err
	}
	for list := a.list(); len(list.values) > 0; {
		names = append(names, list.text())
	}
	return names, a.clock, a.err()
}
