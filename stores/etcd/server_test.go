package etcd_test

import (
	"context"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/etcd"
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
	fail      error // of the next requests
	calls     atomic.Int64
	conns     atomic.Int64
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
	go g.Serve(counted{listener, &s.conns})
	t.Cleanup(g.Stop)
	return s
}

// A counted listener counts connections.
type counted struct {
	net.Listener
	conns *atomic.Int64
}

func (c counted) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.conns.Add(1)
	}
	return conn, err
}

// client returns a new client.
func (s *server) client(t *testing.T) *clientv3.Client {
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{"unix://" + s.path}, Logger: zap.NewNop()})
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

func (s *server) store(t *testing.T, cfg etcd.Config) *stores.Store {
	t.Helper()
	store, err := etcd.New(s.client(t), cfg)
	require.NoError(t, err)
	return store
}

func (s *server) header() *pb.ResponseHeader {
	return &pb.ResponseHeader{ClusterId: s.cluster, MemberId: 1, Revision: s.revision, RaftTerm: 2}
}

func (s *server) Txn(ctx context.Context, r *pb.TxnRequest) (*pb.TxnResponse, error) {
	if asked, _ := metadata.FromIncomingContext(ctx); len(asked["hasleader"]) == 0 {
		panic("a request that a member would hold back until there is a leader")
	}
	if between := s.between; between != nil && len(r.Compare) > 0 { // a test that sets it has one client at a time
		s.between = nil
		between()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls.Add(1)
	if s.fail != nil {
		return nil, s.fail
	}
	if err := s.check(r); err != nil {
		return nil, err
	}
	return s.txn(r), nil
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
	if s.holds(r) {
		return r.Success
	}
	return r.Failure
}

func (s *server) holds(r *pb.TxnRequest) bool { return !slices.ContainsFunc(r.Compare, s.differs) }

func (s *server) differs(c *pb.Compare) bool {
	kv := s.keys[string(c.Key)]
	switch {
	case c.Result != pb.Compare_EQUAL || len(c.RangeEnd) > 0:
	case c.Target == pb.Compare_MOD:
		return kv.GetModRevision() != c.GetModRevision()
	case c.Target == pb.Compare_VALUE:
		return kv == nil || string(kv.Value) != string(c.GetValue())
	}
	panic("a comparison that the store does not use")
}

func (s *server) txn(r *pb.TxnRequest) *pb.TxnResponse {
	resp, next := &pb.TxnResponse{Succeeded: s.holds(r)}, s.revision+1
	for _, op := range s.branch(r) {
		var one pb.ResponseOp
		if put := op.GetRequestPut(); put != nil {
			s.revision = next
			s.keys[string(put.Key)] = &mvccpb.KeyValue{Key: put.Key, Value: put.Value, ModRevision: next}
			one.Response = &pb.ResponseOp_ResponsePut{ResponsePut: &pb.PutResponse{}}
		} else {
			one.Response = &pb.ResponseOp_ResponseRange{ResponseRange: s.get(op.GetRequestRange())}
		}
		resp.Responses = append(resp.Responses, &one)
	}
	resp.Header = s.header()
	return resp
}

func (s *server) get(r *pb.RangeRequest) *pb.RangeResponse {
	resp := &pb.RangeResponse{}
	keys := []string{string(r.Key)}
	if len(r.RangeEnd) > 0 {
		keys = slices.Sorted(maps.Keys(s.keys))
	}
	for _, key := range keys {
		in := key == string(r.Key) || key > string(r.Key) && key < string(r.RangeEnd)
		full := r.CountOnly || r.Limit > 0 && int64(len(resp.Kvs)) == r.Limit
		if kv := s.keys[key]; kv != nil && in && !full {
			resp.Kvs = append(resp.Kvs, kv)
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
		s.keys, s.revision, s.cluster = maps.Clone(keys), revision, cluster
	}
}

// set writes a key by hand, or removes it.
func (s *server) set(key, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revision++
	s.keys[key] = &mvccpb.KeyValue{Key: []byte(key), Value: []byte(value), ModRevision: s.revision}
	if value == "" {
		delete(s.keys, key)
	}
}

func (s *server) value(key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.keys[key].GetValue())
}

// count returns how many requests do makes.
func (s *server) count(do func()) int {
	before := s.calls.Load()
	do()
	return int(s.calls.Load() - before)
}
