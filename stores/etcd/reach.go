package etcd

import (
	"context"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/status"

	"github.com/uidgen/uid/worker"
)

// patience is how long a request waits for a connection before it asks why there is none.
const patience = 2 * time.Second

// reach waits until the client has a connection. It returns an error when no member can be connected to, and
// says why: a request of the client would wait for one until its time is up, and then keep that to itself.
func reach(ctx context.Context, client *clientv3.Client, doing string) error {
	conn := client.ActiveConnection()
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for state := conn.GetState(); state != connectivity.Ready; state = conn.GetState() {
		if state == connectivity.Idle {
			conn.Connect()
		}
		if !conn.WaitForStateChange(limited, state) {
			return whyNot(ctx, conn, doing)
		}
	}
	return nil
}

// whyNot returns why there is no connection; nil if that is not known.
func whyNot(ctx context.Context, conn *grpc.ClientConn, doing string) error {
	limited, cancel := context.WithTimeout(ctx, patience/2)
	defer cancel()
	_, err := pb.NewMaintenanceClient(conn).Status(limited, &pb.StatusRequest{}, grpc.WaitForReady(false))
	if ctx.Err() == nil && status.Code(err) == codes.Unavailable {
		return worker.Unreachable(failed(ctx, doing, err))
	}
	return nil
}
