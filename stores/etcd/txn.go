package etcd

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// A request is one round trip: a transaction of etcd. All its reads are linearizable, as is the
// default: none is ever serializable, which could be answered by a member that is behind.
func (s *Store) request(ctx context.Context, doing string, cmps []clientv3.Cmp, then, otherwise []clientv3.Op) (*clientv3.TxnResponse, error) {
	limited, cancel := context.WithTimeout(clientv3.WithRequireLeader(ctx), s.cfg.RequestTimeout)
	defer cancel()
	resp, err := s.client.Txn(limited).If(cmps...).Then(then...).Else(otherwise...).Commit()
	if err != nil {
		return nil, failed(ctx, doing, err)
	}
	return resp, nil
}

// A read is what one request has read, all at one time.
type read struct {
	cluster   uint64
	revision  int64 // of the whole store at that time
	responses []*etcdserverpb.RangeResponse
}

// reading takes the results of what a request ended with.
func reading(resp *clientv3.TxnResponse) read {
	r := read{cluster: resp.Header.ClusterId, revision: resp.Header.Revision}
	for _, op := range resp.Responses {
		r.responses = append(r.responses, op.GetResponseRange())
	}
	return r
}

// get makes a request that only reads.
func (s *Store) get(ctx context.Context, doing string, gets ...clientv3.Op) (read, error) {
	resp, err := s.request(ctx, doing, nil, gets, nil)
	if err != nil {
		return read{}, err
	}
	return reading(resp), nil
}

// A record is a key as it was read. One that is not there has no data, and revision 0.
type record struct {
	key      string
	end      string // if not empty: it stands for all keys from key to before end, none of which is there
	data     []byte
	revision int64 // of its last write
}

func (r record) found() bool { return r.revision != 0 }

// one returns the single key that the i-th get asked for.
func (r read) one(i int, key string) record {
	if kvs := r.responses[i].Kvs; len(kvs) > 0 {
		return recordOf(kvs[0])
	}
	return record{key: key}
}

func recordOf(kv *mvccpb.KeyValue) record {
	return record{key: string(kv.Key), data: kv.Value, revision: kv.ModRevision}
}

// unchanged is the condition that the key is still exactly as it was read. After a snapshot was
// restored revisions are given out a second time, so that the value has to be the same, too.
func (r record) unchanged() []clientv3.Cmp {
	cmps := []clientv3.Cmp{clientv3.Compare(clientv3.ModRevision(r.key), "=", r.revision).WithRange(r.end)}
	if r.found() {
		cmps = append(cmps, clientv3.Compare(clientv3.Value(r.key), "=", string(r.data)))
	}
	return cmps
}

// write makes a request that writes if the records are still as they were read, and else reads
// the gets anew, the first put's key among them: then stored is false, and no error. The first
// record is the namespace's.
//
// It also asks for a key as it was at the revision of the read. A cluster that was put back to a
// time before the read does not know that revision yet, and fails the whole transaction.
func (s *Store) write(ctx context.Context, doing string, r read, were []record, puts, gets []clientv3.Op) (now read, stored bool, err error) {
	var cmps []clientv3.Cmp
	for _, w := range were {
		cmps = append(cmps, w.unchanged()...)
	}
	puts = append(puts, clientv3.OpGet(were[0].key, clientv3.WithRev(r.revision), clientv3.WithCountOnly()))
	resp, err := s.request(ctx, doing, cmps, puts, gets)
	switch {
	case errors.Is(err, rpctypes.ErrFutureRev) || errors.Is(err, rpctypes.ErrCompacted):
		// Nothing is stored. What was read is no longer known, or not yet.
		now, err = s.get(ctx, doing, gets...)
		return now, false, err
	case err != nil:
		return read{}, false, err
	case !resp.Succeeded:
		now = reading(resp)
		return now, now.has(puts[0]), nil
	case resp.Header.ClusterId != r.cluster:
		return read{}, false, worker.Transient(fmt.Errorf("etcd: %s: cluster %s has answered, and what was decided is from cluster %s: the outcome is open",
			doing, hex(resp.Header.ClusterId), hex(r.cluster)))
	}
	return reading(resp), true, nil
}

// has reports whether a value is there. Then it was this very write: no two values are equal.
// The client library may send a request twice, and the first one has then refused the second.
func (r read) has(put clientv3.Op) bool {
	for _, page := range r.responses {
		for _, kv := range page.GetKvs() {
			if bytes.Equal(kv.Key, put.KeyBytes()) && bytes.Equal(kv.Value, put.ValueBytes()) {
				return true
			}
		}
	}
	return false
}

// A space is a namespace's own key as it was read.
type space struct {
	record
	lease.Namespace
	value namespaceValue
}

// space reads the namespace from the i-th get. It judges nothing.
func (l *Leases) space(r read, i int) (s space, err error) {
	s.record = r.one(i, l.keys.namespace)
	if !s.found() {
		s.Namespace = lease.Namespace{Given: -1, Floor: -1, Fresh: true}
		return s, nil
	}
	s.Namespace, s.value, err = decodeNamespace(s.key, s.data)
	return s, err
}

// fits refuses a namespace that was made in another cluster, or with another bound for the
// clocks. Everybody who writes, or decides by what he read, asks first.
func (l *Leases) fits(r read, s space) error {
	if !s.found() {
		return nil
	}
	if s.value.Cluster != hex(r.cluster) {
		return fmt.Errorf("%w: %s was made in the etcd cluster %s, this one is %s: a snapshot was restored, or the keys were copied, and writes since then are lost. "+
			"Stop all its workers, delete the key %s and run uid worker init with a --rest that is longer than any worker's TTL, Window and MaxLead",
			uid.ErrConfig, l.Name(), s.value.Cluster, hex(r.cluster), l.keys.namespace)
	}
	if e := s.value.clockError(); e != l.store.cfg.ClockError {
		return fmt.Errorf("%w: ClockError is %v, and %s was made with %v: all its clients have to have the same", uid.ErrConfig, l.store.cfg.ClockError, l.Name(), e)
	}
	return nil
}

// put writes the namespace.
func (l *Leases) put(n lease.Namespace, cluster uint64) (clientv3.Op, error) {
	value, err := encodeNamespace(n, cluster, l.store.cfg.ClockError)
	return clientv3.OpPut(l.keys.namespace, value), err
}

// putRow writes the row of an ID. It is attached to no lease of etcd, and taken from one that
// somebody has attached it to: when such a lease ends, etcd deletes its keys, and the ticks that
// were used would be forgotten.
func (l *Leases) putRow(id int64, row lease.Row) (clientv3.Op, error) {
	value, err := encodeRow(row)
	return clientv3.OpPut(l.keys.worker(id), value), err
}
