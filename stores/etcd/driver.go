package etcd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/worker"
)

// A driver keeps the texts of package stores in etcd, under its keys behind the prefix.
type driver struct {
	client *clientv3.Client
	cfg    Config
}

// Name implements [stores.Driver].
func (d *driver) Name() string { return "etcd below " + d.cfg.Prefix }

// Durable implements [stores.Driver]: it is true.
func (d *driver) Durable() bool { return true }

// request is one round trip: a transaction of etcd. All its reads are linearizable, as is the default: none
// is ever serializable, which could be answered by a member that is behind.
func (d *driver) request(ctx context.Context, doing string, cmps []clientv3.Cmp,
	then, otherwise []clientv3.Op) (*clientv3.TxnResponse, error) {
	return ask(ctx, d, doing, func(ctx context.Context) (*clientv3.TxnResponse, error) {
		return d.client.Txn(clientv3.WithRequireLeader(ctx)).If(cmps...).Then(then...).Else(otherwise...).Commit()
	})
}

// ask makes a request of any kind.
func ask[R any](ctx context.Context, d *driver, doing string, request func(context.Context) (R, error),
) (resp R, err error) {
	if err := reach(ctx, d.client, doing); err != nil {
		return resp, err
	}
	limited, cancel := context.WithTimeout(ctx, d.cfg.RequestTimeout)
	defer cancel()
	if resp, err = request(limited); err != nil {
		return resp, failed(ctx, doing, err)
	}
	return resp, nil
}

// A reading is where and when something was read.
type reading struct {
	cluster  uint64
	revision int64 // of the whole store at that time
}

// Read implements [stores.Driver].
func (d *driver) Read(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	resp, err := d.request(ctx, "read", nil, d.gets(q), nil)
	if err != nil {
		return nil, err
	}
	return d.answer(q, resp), nil
}

func (d *driver) gets(q stores.Query) (gets []clientv3.Op) {
	for _, key := range q.Keys {
		gets = append(gets, clientv3.OpGet(d.cfg.Prefix+key))
	}
	for _, r := range q.Ranges {
		gets = append(gets, clientv3.OpGet(d.cfg.Prefix+r.First, clientv3.WithRange(d.cfg.Prefix+r.Last+"\x00"),
			clientv3.WithLimit(int64(r.Limit))))
	}
	return gets
}

// answer takes the results of gets.
func (d *driver) answer(q stores.Query, resp *clientv3.TxnResponse) *stores.Answer {
	a := &stores.Answer{State: reading{resp.Header.ClusterId, resp.Header.Revision}}
	for i, op := range resp.Responses {
		kvs := op.GetResponseRange().GetKvs()
		if i < len(q.Keys) {
			r := stores.Record{Key: q.Keys[i]}
			if len(kvs) > 0 {
				r = d.record(kvs[0], resp.Header.ClusterId)
			}
			a.Records = append(a.Records, r)
			continue
		}
		var page []stores.Record
		for _, kv := range kvs[:min(len(kvs), q.Ranges[i-len(q.Keys)].Limit)] { // for etcd a limit of 0 is none
			page = append(page, d.record(kv, resp.Header.ClusterId))
		}
		a.Pages = append(a.Pages, page)
	}
	a.Clock = stores.Clock{Now: d.cfg.Now().UTC().Truncate(time.Microsecond), Error: d.cfg.ClockError}
	return a
}

// unchanged is the condition that a key is still exactly as it was read. After a snapshot was restored
// revisions are given out a second time, so that the value has to be the same, too.
func (d *driver) unchanged(r stores.Record) []clientv3.Cmp {
	key := d.cfg.Prefix + r.Key
	was, there := r.State.(*mvccpb.KeyValue)
	if !there {
		return []clientv3.Cmp{clientv3.Compare(clientv3.ModRevision(key), "=", 0)}
	}
	return []clientv3.Cmp{
		clientv3.Compare(clientv3.ModRevision(key), "=", was.ModRevision),
		clientv3.Compare(clientv3.Value(key), "=", string(was.Value)),
	}
}

// Write implements [stores.Driver].
//
// It also asks for a key as it was at the revision of the read. A cluster that was put back to a time
// before the read does not know that revision yet, and fails the whole transaction.
//
// A key is attached to no lease of etcd, and taken from one that somebody has attached it to: when such a
// lease ends, etcd deletes its keys, and the ticks that were used would be forgotten.
func (d *driver) Write(ctx context.Context, w stores.Write) (stored bool, now *stores.Answer, err error) {
	read := w.Read.State.(reading)
	var cmps []clientv3.Cmp
	for _, r := range w.Were {
		cmps = append(cmps, d.unchanged(r)...)
	}
	var puts []clientv3.Op
	for _, r := range w.Puts {
		value, err := d.value(r, read.cluster)
		if err != nil {
			return false, nil, err
		}
		puts = append(puts, clientv3.OpPut(d.cfg.Prefix+r.Key, value))
	}
	puts = append(puts, clientv3.OpGet(d.cfg.Prefix+w.Were[0].Key,
		clientv3.WithRev(read.revision), clientv3.WithCountOnly()))
	resp, err := d.request(ctx, "write", cmps, puts, d.gets(w.Otherwise))
	switch {
	case errors.Is(err, rpctypes.ErrFutureRev) || errors.Is(err, rpctypes.ErrCompacted):
		// Nothing is stored. What was read is no longer known, or not yet.
		now, err = d.Read(ctx, w.Otherwise)
		return false, now, err
	case err != nil:
		return false, nil, err
	case !resp.Succeeded:
		return false, d.answer(w.Otherwise, resp), nil
	case resp.Header.ClusterId != read.cluster:
		return false, nil, worker.Transient(fmt.Errorf("etcd: cluster %s has answered, and what was decided is from "+
			"cluster %s: the outcome is open", hex(resp.Header.ClusterId), hex(read.cluster)))
	}
	return true, nil, nil
}
