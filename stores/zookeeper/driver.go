package zookeeper

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/uidgen/uid/stores"
)

// A driver keeps the texts of package stores in nodes; see path.go.
type driver struct {
	conn connection
	root string
	acl  []zk.ACL
	off  time.Duration // how far a clock may be off
	now  func() time.Time
}

// Name implements [stores.Driver].
func (d *driver) Name() string { return "ZooKeeper node " + d.root }

// Durable implements [stores.Driver]: it is true. A majority of the servers has a write on disk before it
// is acknowledged.
func (d *driver) Durable() bool { return true }

// batch is how many requests for nodes go out together, before their replies are waited for.
const batch = 1024

// errRaced says that somebody else has written what was to be written, or was read.
var errRaced = errors.New("zookeeper: another client was faster")

// Read implements [stores.Driver]. An Answer is Old: a server may lag behind, and nodes are read one after
// another. If it has to be the newest a write goes first that writes nothing, and the Keys are compared at last.
func (d *driver) Read(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	for {
		a, err := d.read(ctx, q)
		if err != errRaced {
			return a, err
		}
	}
}

func (d *driver) read(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	if err := d.ready(ctx); err != nil {
		return nil, err
	}
	session := d.conn.SessionID()
	if q.Newest {
		if err := d.barrier(ctx); err != nil {
			return nil, err
		}
	}
	a := &stores.Answer{Old: !q.Newest, Pages: make([][]stores.Record, len(q.Ranges))}
	// What is within a range of few IDs is asked for together with the keys: that is one round trip.
	keys := slices.Clone(q.Keys)
	for _, r := range q.Ranges {
		first, last, few := few(r)
		for id := first.ID; few && id <= last; id++ {
			keys = append(keys, stores.Key{Namespace: first.Namespace, ID: id}.String())
		}
	}
	var records []stores.Record
	if q.Newest { // the rows are as new as what they are compared with, the namespace
		var err error
		if records, err = d.records(ctx, q.Keys, q.Judge); err != nil {
			return nil, err
		}
	}
	more, err := d.records(ctx, keys[len(records):], q.Judge && !q.Newest)
	if err != nil {
		return nil, err
	}
	records = append(records, more...)
	a.Records, records = records[:len(q.Keys):len(q.Keys)], records[len(q.Keys):]
	for i, r := range q.Ranges {
		var page []stores.Record
		if first, last, few := few(r); few {
			page, records = records[:last-first.ID+1], records[last-first.ID+1:]
		} else if page, err = d.page(ctx, r); err != nil {
			return nil, err
		}
		a.Pages[i] = slices.DeleteFunc(slices.Clone(page), missing)
	}
	a.Clock = stores.Clock{Now: d.now().UTC().Truncate(time.Microsecond), Error: d.off}
	if q.Newest && len(q.Keys) > 1 {
		if err := d.compare(ctx, a.Records); err != nil {
			return nil, err
		}
	}
	if d.conn.SessionID() != session {
		return nil, errRaced // a part may be of an older state than what was read before it
	}
	return a, nil
}

func missing(r stores.Record) bool { return r.Text == "" }

// few returns the IDs of a range, if they are so few that each can be asked for.
func few(r stores.Range) (first stores.Key, last int64, few bool) {
	first, ok := stores.ParseKey(r.First)
	k, _ := stores.ParseKey(r.Last)
	return first, k.ID, ok && first.ID >= 0 && k.ID-first.ID < int64(r.Limit)
}

// records reads nodes, and has the leader tell its time if that is to be judged.
func (d *driver) records(ctx context.Context, keys []string, judge bool) (records []stores.Record, err error) {
	nodes := make([]node, len(keys))
	var leader reading
	var clock string
	for part := range slices.Chunk(keys, batch) {
		var requests []func()
		if judge && clock == "" {
			clock = d.path(part[0]) + "/" + clockName
			requests = append(requests, d.ask(clock, &leader))
		}
		for _, key := range part {
			requests = append(requests, d.get(d.path(key), &nodes[len(records)]))
			records = append(records, stores.Record{Key: key})
		}
		if err := together(ctx, requests...); err != nil {
			return nil, err
		}
	}
	for i, n := range nodes {
		if n.err != nil {
			return nil, n.err
		}
		records[i].Text, records[i].Bad, records[i].State = n.data, n.bad, n
		if k, _ := stores.ParseKey(keys[i]); n.found && n.data == "" && (k.Tag != "" || k.ID >= 0) {
			records[i].Text = "none" // which is not that of a row that is not there
		}
	}
	if clock != "" && nodes[0].found {
		return records, d.measured(ctx, clock, leader)
	}
	return records, nil
}

// page lists the nodes of a range, and reads the first of them.
func (d *driver) page(ctx context.Context, r stores.Range) ([]stores.Record, error) {
	of, _ := stores.ParseKey(r.First)
	dir := d.root + "/" + segmentsName
	if of.Namespace != "" {
		dir = d.root + "/" + escape(of.Namespace)
	}
	names, err := d.children(ctx, dir)
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, name := range names {
		if key, ok := keyOf(of, name); ok && r.First <= key && key <= r.Last {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	var there []stores.Record
	for len(keys) > 0 && len(there) < r.Limit {
		part := keys[:min(r.Limit-len(there), len(keys))]
		keys = keys[len(part):]
		read, err := d.records(ctx, part, false)
		if err != nil {
			return nil, err
		}
		there = append(there, slices.DeleteFunc(read, missing)...)
	}
	return there, nil
}

// compare returns errRaced if records are no longer as they were read.
func (d *driver) compare(ctx context.Context, records []stores.Record) error {
	var checks []any
	for _, r := range records {
		if n := r.State.(node); n.found {
			checks = append(checks, &zk.CheckVersionRequest{Path: d.path(r.Key), Version: n.version})
		}
	}
	if len(checks) == 0 {
		return nil
	}
	return d.multi(ctx, d.root, checks...)
}

// multi carries out all operations or none. It returns errRaced when nodes are not as they were read.
func (d *driver) multi(ctx context.Context, path string, ops ...any) error {
	var err error // no result: the request may write it when this has returned
	if ended := together(ctx, func() { _, err = d.conn.Multi(ops...) }); ended != nil {
		return ended
	}
	switch err {
	case nil:
		return nil
	case zk.ErrBadVersion, zk.ErrNoNode, zk.ErrNodeExists:
		return errRaced
	}
	return failure("write below", path, err)
}

// Write implements [stores.Driver]. Where all rows were removed and made anew, their versions are those of
// former ones again; the namespace's node, which is above them and among what is compared, stays.
func (d *driver) Write(ctx context.Context, w stores.Write) (stored bool, now *stores.Answer, err error) {
	if err := d.ready(ctx); err != nil {
		return false, nil, err
	}
	var ops []any
	for _, was := range w.Were {
		path := d.path(was.Key)
		n, _ := was.State.(node)
		i := slices.IndexFunc(w.Puts, func(put stores.Record) bool { return put.Key == was.Key })
		k, _ := stores.ParseKey(was.Key)
		switch {
		case n.found && i < 0:
			ops = append(ops, &zk.CheckVersionRequest{Path: path, Version: n.version})
		case n.found:
			ops = append(ops, &zk.SetDataRequest{Path: path, Data: []byte(w.Puts[i].Text), Version: n.version})
		case k.ID >= 0:
			ops = append(ops, &zk.CreateRequest{Path: path, Data: []byte(w.Puts[i].Text), Acl: d.acl})
		default:
			// The nodes above, and for a namespace its own, empty. Then it begins again, with the leader's time.
			if k.Namespace == "" {
				err = d.makeAll(ctx, path[:strings.LastIndexByte(path, '/')])
				ops = append(ops, &zk.CreateRequest{Path: path, Data: []byte(w.Puts[i].Text), Acl: d.acl})
			} else if err = d.makeAll(ctx, path+"/"+clockName); err == nil {
				err = errRaced
			}
		}
	}
	if err == nil {
		err = d.multi(ctx, d.path(w.Were[0].Key), ops...)
	}
	if err == errRaced {
		now, err = d.Read(ctx, w.Otherwise)
		return false, now, err
	}
	return err == nil, nil, err
}

// Namespaces implements [stores.Lister]. It needs the right to read.
func (d *driver) Namespaces(ctx context.Context) (names []string, now stores.Clock, err error) {
	if err := d.ready(ctx); err != nil {
		return nil, now, err
	}
	if err := d.barrier(ctx); err != nil {
		return nil, now, err
	}
	all, err := d.children(ctx, d.root)
	for _, name := range all {
		if name, ours := unescape(name); ours {
			names = append(names, name)
		}
	}
	return names, stores.Clock{Now: d.now().UTC().Truncate(time.Microsecond), Error: d.off}, err
}
