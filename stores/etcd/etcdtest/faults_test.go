package etcdtest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"github.com/uidgen/uid/internal/storetest"
)

// Each fault loses what it says, of the next write, once.
func TestFaults(t *testing.T) {
	write := &pb.TxnRequest{Compare: []*pb.Compare{{}}}
	for name, c := range map[string]struct {
		fault              storetest.Fault
		readFails, fails   bool
		sent, sentInTheEnd int
	}{
		"OK":        {storetest.OK, false, false, 1, 1},
		"Refuse":    {storetest.Refuse, true, false, 1, 1},
		"LoseWrite": {storetest.LoseWrite, false, true, 0, 0},
		"LoseReply": {storetest.LoseReply, false, true, 1, 1},
		"Delay":     {storetest.Delay, false, true, 0, 1},
	} {
		var f Faults
		sent := 0
		do := func(ctx context.Context, req any) error {
			return f.intercept(ctx, "", req, nil, nil, func(ctx context.Context, _ string, req, _ any, _ *grpc.ClientConn, _ ...grpc.CallOption) error {
				if req == write {
					sent++
				}
				return ctx.Err()
			})
		}
		ctx, cancel := context.WithCancel(t.Context())
		f.Set(c.fault)
		require.NoError(t, do(ctx, &pb.RangeRequest{}), name)
		require.Equal(t, c.readFails, do(ctx, &pb.TxnRequest{}) != nil, name)
		require.Equal(t, c.fails, do(ctx, write) != nil, name)
		require.Equal(t, c.sent, sent, name)
		cancel()
		f.Deliver()
		f.Deliver()
		require.Equal(t, c.sentInTheEnd, sent, name)
		require.NoError(t, do(t.Context(), write), name)

		f.Set(c.fault)
		f.Set(storetest.OK)
		require.NoError(t, do(t.Context(), write), name)
	}
}
