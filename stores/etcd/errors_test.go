package etcd_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/scheme"
	"github.com/uidgen/uid/stores/etcd"
	"github.com/uidgen/uid/stores/internal/orders"
)

// Errors say whether they may pass, what to do, and no orders.Secret.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		err    error
		passes bool
		says   string
	}{
		{rpctypes.ErrGRPCNoLeader, true, "no leader"},
		{rpctypes.ErrGRPCNotLeader, true, "not leader"},
		{rpctypes.ErrGRPCLeaderChanged, true, "leader changed"},
		{rpctypes.ErrGRPCStopped, true, "stopped"},
		{rpctypes.ErrGRPCTimeout, true, "timed out"},
		{rpctypes.ErrGRPCTimeoutDueToLeaderFail, true, "previous leader failure"},
		{rpctypes.ErrGRPCTimeoutDueToConnectionLost, true, "connection lost"},
		{rpctypes.ErrGRPCUnhealthy, true, "unhealthy"},
		{rpctypes.ErrGRPCRequestTooManyRequests, true, "too many requests"},
		{status.Error(codes.Unavailable, "dial "+orders.Secret), true, "connection failed (Unavailable)"},
		{status.Error(codes.Unavailable, orders.Secret+": connection refused"), true, "refused"},
		{status.Error(codes.Unavailable, "authentication handshake failed: "+orders.Secret), true, "TLS handshake"},
		{status.Error(codes.Internal, orders.Secret), true, "Internal"},
		{status.Error(codes.Unknown, "raft proposal dropped"), true, "leader changed"},
		{status.Error(codes.Unknown, "context deadline exceeded"), true, "the member gave the request up"},
		{status.Error(codes.Unknown, "context canceled"), true, "the member gave the request up"},
		{status.Error(codes.Unknown, orders.Secret), false, "withheld"},
		{status.Error(codes.Unimplemented, orders.Secret), false, "withheld"},
		{status.Error(codes.ResourceExhausted, "grpc: received message larger than max "+orders.Secret), false,
			"MaxCallRecvMsgSize"},
		{rpctypes.ErrGRPCNoSpace, false, "auto-compaction"},
		{rpctypes.ErrGRPCPermissionDenied, false, "readwrite"},
		{rpctypes.ErrGRPCAuthFailed, false, "password"},
		{rpctypes.ErrGRPCUserEmpty, false, "no user"},
		{rpctypes.ErrGRPCRequestTooLarge, false, "max-request-bytes"},
		{rpctypes.ErrGRPCTooManyOps, false, "max-txn-ops"},
		{rpctypes.ErrGRPCCorrupt, false, "replace"},
		{rpctypes.ErrGRPCNotCapable, false, "upgrade"},
		{rpctypes.ErrGRPCInvalidSortOption, false, "invalid sort option"},
	} {
		t.Run(c.says, func(t *testing.T) {
			s := newServer(t)
			s.fail = c.err
			l := orders.Leases(t, s.store(t, etcd.Config{}))
			orders.Fails(t, l.Change(t.Context(), 0, orders.Unasked(t)), c.passes, c.says)
		})
	}
}

func TestContexts(t *testing.T) {
	s := newServer(t)
	// A member that answers nothing costs a RequestTimeout.
	short := orders.Leases(t, s.store(t, etcd.Config{RequestTimeout: time.Millisecond}))
	s.mu.Lock()
	err := short.Change(t.Context(), 0, orders.Unasked(t))
	s.mu.Unlock()
	require.ErrorIs(t, err, context.DeadlineExceeded)
	orders.Fails(t, err, true, "RequestTimeout")

	client := s.client(t)
	store, err := etcd.New(client, etcd.Config{})
	require.NoError(t, err)
	require.NoError(t, client.Close())
	_, _, err = store.Registry().Namespaces(t.Context())
	orders.Fails(t, err, false, "the client is closed")
}

// What fails in a check becomes a note, or passes. What an account may not see stops no start, even with a member down.
func TestExamineFails(t *testing.T) {
	s := newServer(t)
	// RequestTimeout is for what the client tries again.
	client := s.client(t)
	store, err := etcd.New(client, etcd.Config{RequestTimeout: 200 * time.Millisecond})
	require.NoError(t, err)
	s.fail = rpctypes.ErrGRPCPermissionDenied
	findings := orders.Findings(t, store)
	require.NotEmpty(t, findings)
	for _, f := range findings {
		require.EqualValues(t, "note", f.Level, "%+v", f)
	}
	client.SetEndpoints(append(client.Endpoints(), "unix://"+s.path+".none")...)
	lossy, err := orders.Leases(t, store).Inspect(t.Context())
	require.NoError(t, err)
	require.Empty(t, lossy)
	s.fail = rpctypes.ErrGRPCNoLeader
	_, err = store.Registry().(doctor.Examiner).Examine(t.Context(), doctor.Config{})
	require.True(t, retry.IsTransient(err), "%v", err)
	_, err = orders.Leases(t, s.store(t, etcd.Config{})).Inspect(t.Context())
	require.True(t, retry.IsTransient(err), "%v", err)
}

func TestConfig(t *testing.T) {
	client := new(clientv3.Client)
	for want, c := range map[string]etcd.Config{
		"does not end with a slash":       {Prefix: "uid"},
		"has the byte 0x3a at 4":          {Prefix: "etcd://user:" + orders.Secret + "@host/"},
		"has 141 bytes, at most 128":      {Prefix: orders.Secret + string(make([]byte, 134))},
		"ClockError -1s":                  {ClockError: -time.Second},
		"ClockError 1ns":                  {ClockError: 1},
		"ClockError 1h0m0.000001s":        {ClockError: time.Hour + time.Microsecond},
		"RequestTimeout -1s is below 1ms": {RequestTimeout: -time.Second},
	} {
		_, err := etcd.New(client, c)
		require.ErrorContains(t, err, want)
		require.True(t, errors.Is(err, uid.ErrConfig) || errors.Is(err, uid.ErrRange))
		require.NotContains(t, err.Error(), orders.Secret)
	}
	_, err := etcd.New(nil, etcd.Config{})
	require.ErrorIs(t, err, uid.ErrConfig)
	store, err := etcd.New(client, etcd.Config{Prefix: "a/b_c-d.e/"})
	require.NoError(t, err)
	require.Equal(t, "etcd below a/b_c-d.e/", store.Driver().Name())
	require.True(t, store.Driver().Durable())
	u, err := scheme.Parse("etcd://host/?clockerror=2h")
	require.NoError(t, err)
	_, err = u.Open(t.Context(), scheme.Options{})
	require.ErrorContains(t, err, "has a clockerror that is above an hour")
}
