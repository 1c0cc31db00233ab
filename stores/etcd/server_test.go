package etcd_test

import (
	"context"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
)

// A server is a small etcd in memory, behind real connections. It knows what the store uses:
// transactions that compare, get and put.
type server struct {
	pb.UnimplementedKVServer
	pb.UnimplementedClusterServer
	pb.UnimplementedMaintenanceServer

	path string // of its socket

	mu        sync.Mutex
	cluster   uint64
	revision  int64
	compacted int64
	keys      map[string]*mvccpb.KeyValue
	sorted    []string // its keys; nil when they have changed
	fail      error    // of the next requests
	calls     int
	sent      int    // bytes of the last answer
	between   func() // runs once, before the next transaction that compares
	members   []*pb.Member
	alarms    []*pb.AlarmMember
	status    pb.StatusResponse
}

func newServer(t *testing.T) *server {
	dir, err := os.MkdirTemp("", "uid") // a path of a socket is short
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &server{
		path: filepath.Join(dir, "s"), cluster: 0xcdf818194e3a8c32, revision: 1, keys: map[string]*mvccpb.KeyValue{},
		members: []*pb.Member{{ID: 1}, {ID: 2}, {ID: 3}},
		status:  pb.StatusResponse{Version: "3.5.21", DbSize: 1 << 20, DbSizeInUse: 1 << 19, Leader: 1},
	}
	listener, err := net.Listen("unix", s.path)
	require.NoError(t, err)
	g := grpc.NewServer()
	pb.RegisterKVServer(g, s)
	pb.RegisterClusterServer(g, s)
	pb.RegisterMaintenanceServer(g, s)
	go g.Serve(listener)
	t.Cleanup(g.Stop)
	return s
}

// client returns a new client.
func (s *server) client(t *testing.T) *clientv3.Client {
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{"unix://" + s.path}, Logger: zap.NewNop()})
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

func (s *server) header() *pb.ResponseHeader {
	return &pb.ResponseHeader{ClusterId: s.cluster, MemberId: 1, Revision: s.revision, RaftTerm: 2}
}

func (s *server) Txn(ctx context.Context, r *pb.TxnRequest) (*pb.TxnResponse, error) {
	if asked, _ := metadata.FromIncomingContext(ctx); len(asked["hasleader"]) == 0 {
		panic("a request that a member would hold back until there is a leader")
	}
	if between := s.take(len(r.Compare) > 0); between != nil {
		between()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if s.fail != nil {
		return nil, s.fail
	}
	if err := s.check(r); err != nil {
		return nil, err
	}
	wrote := false
	resp := s.txn(r, s.revision+1, &wrote)
	if wrote {
		s.revision++
	}
	resp.Header = s.header()
	s.sent = proto.Size(resp)
	return resp, nil
}

func (s *server) take(writes bool) (between func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if writes {
		between, s.between = s.between, nil
	}
	return between
}

func (s *server) Status(context.Context, *pb.StatusRequest) (*pb.StatusResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &s.status, s.fail
}

func (s *server) MemberList(context.Context, *pb.MemberListRequest) (*pb.MemberListResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &pb.MemberListResponse{Header: s.header(), Members: s.members}, s.fail
}

func (s *server) Alarm(context.Context, *pb.AlarmRequest) (*pb.AlarmResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &pb.AlarmResponse{Header: s.header(), Alarms: s.alarms}, s.fail
}

// check fails a transaction as a whole.
func (s *server) check(r *pb.TxnRequest) error {
	if max(len(r.Compare), len(r.Success), len(r.Failure)) > 128 {
		return rpctypes.ErrGRPCTooManyOps
	}
	for _, op := range s.branch(r) {
		get := op.GetRequestRange()
		if get.GetSerializable() || op.GetRequestPut().GetLease() != 0 {
			panic("a read that may be old, or a key that ends with a lease")
		}
		switch {
		case get == nil || get.Revision == 0:
		case get.Revision > s.revision:
			return rpctypes.ErrGRPCFutureRev
		case get.Revision < s.compacted:
			return rpctypes.ErrGRPCCompacted
		}
	}
	return nil
}

// branch returns the operations that a transaction comes to.
func (s *server) branch(r *pb.TxnRequest) []*pb.RequestOp {
	for _, c := range r.Compare {
		if !s.holds(c) {
			return r.Failure
		}
	}
	return r.Success
}

func (s *server) holds(c *pb.Compare) bool {
	kv := s.keys[string(c.Key)]
	if len(c.RangeEnd) > 0 { // all of them; the store asks whether there are any
		if kvs := s.get(&pb.RangeRequest{Key: c.Key, RangeEnd: c.RangeEnd, Limit: 1}).Kvs; len(kvs) > 0 {
			kv = kvs[0]
		}
	}
	switch c.Target {
	case pb.Compare_MOD:
		return compare(kv.GetModRevision(), c.GetModRevision(), c.Result)
	case pb.Compare_VALUE:
		return kv != nil && compare(string(kv.Value), string(c.GetValue()), c.Result)
	}
	panic("a comparison that the store does not use")
}

func compare[T int64 | string](a, b T, how pb.Compare_CompareResult) bool {
	switch how {
	case pb.Compare_EQUAL:
		return a == b
	case pb.Compare_LESS:
		return a < b
	case pb.Compare_GREATER:
		return a > b
	}
	return a != b
}

func (s *server) txn(r *pb.TxnRequest, revision int64, wrote *bool) *pb.TxnResponse {
	resp := &pb.TxnResponse{Succeeded: true, Header: &pb.ResponseHeader{}}
	for _, c := range r.Compare {
		resp.Succeeded = resp.Succeeded && s.holds(c)
	}
	for _, op := range s.branch(r) {
		var one pb.ResponseOp
		switch {
		case op.GetRequestRange() != nil:
			one.Response = &pb.ResponseOp_ResponseRange{ResponseRange: s.get(op.GetRequestRange())}
		case op.GetRequestPut() != nil:
			*wrote = true
			put := op.GetRequestPut()
			kv := &mvccpb.KeyValue{Key: put.Key, Value: put.Value, CreateRevision: revision, ModRevision: revision,
				Version: 1, Lease: put.Lease}
			if old := s.keys[string(put.Key)]; old == nil {
				s.sorted = nil
			} else {
				kv.CreateRevision, kv.Version = old.CreateRevision, old.Version+1
			}
			s.keys[string(put.Key)] = kv
			one.Response = &pb.ResponseOp_ResponsePut{ResponsePut: &pb.PutResponse{}}
		}
		resp.Responses = append(resp.Responses, &one)
	}
	return resp
}

func (s *server) get(r *pb.RangeRequest) *pb.RangeResponse {
	resp := &pb.RangeResponse{}
	if s.sorted == nil {
		s.sorted = slices.Sorted(maps.Keys(s.keys))
	}
	from, _ := slices.BinarySearch(s.sorted, string(r.Key))
	for _, key := range s.sorted[from:] {
		if key != string(r.Key) && key >= string(r.RangeEnd) {
			break
		}
		resp.Count++
		switch {
		case r.CountOnly:
		case r.Limit > 0 && int64(len(resp.Kvs)) >= r.Limit:
			resp.More = true
		case r.KeysOnly:
			resp.Kvs = append(resp.Kvs, &mvccpb.KeyValue{Key: []byte(key), ModRevision: s.keys[key].ModRevision})
		default:
			resp.Kvs = append(resp.Kvs, s.keys[key])
		}
	}
	return resp
}

// backup returns a function that restores a snapshot of now, under another cluster ID or the same.
func (s *server) backup() (restore func(cluster uint64)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys, revision := maps.Clone(s.keys), s.revision
	return func(cluster uint64) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.keys, s.sorted, s.revision, s.cluster = maps.Clone(keys), nil, revision, cluster
	}
}

// set writes a key by hand, or removes it.
func (s *server) set(key, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revision++
	s.sorted = nil
	if value == "" {
		delete(s.keys, key)
		return
	}
	s.keys[key] = &mvccpb.KeyValue{Key: []byte(key), Value: []byte(value), CreateRevision: s.revision,
		ModRevision: s.revision, Version: 1}
}

func (s *server) value(key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.keys[key].GetValue())
}

// count returns how many requests do makes.
func (s *server) count(do func()) int {
	s.mu.Lock()
	before := s.calls
	s.mu.Unlock()
	do()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls - before
}
