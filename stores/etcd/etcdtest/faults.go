package etcdtest

import (
	"context"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/uidgen/uid/internal/storetest"
)

// Faults makes the requests of one client go wrong. The zero value lets all pass. All methods may
// be called by any number of goroutines at once. Do not copy it.
//
// A fault is that of one transaction: for Refuse of the next one, and else of the next one that
// compares something, as all writes of leases and segments do. Requests of other kinds always pass. The client
// gets the error Unavailable, as from a connection that was cut.
type Faults struct {
	mu   sync.Mutex
	next storetest.Fault
	late []func() // writes that are on their way
}

// DialOptions are for the configuration of the client.
func (f *Faults) DialOptions() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(f.intercept)}
}

// Set sets the next fault, in place of one that has not been met. OK sets none.
func (f *Faults) Set(fault storetest.Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next = fault
}

// Deliver sends the writes that Delay has held back, in their order, and waits for the answers.
// The contexts of their calls no longer bind them. What comes of them, nobody learns.
func (f *Faults) Deliver() {
	f.mu.Lock()
	late := f.late
	f.late = nil
	f.mu.Unlock()
	for _, write := range late {
		write()
	}
}

var errCut = status.Error(codes.Unavailable, "the connection was cut")

// intercept is between a client and the connection.
func (f *Faults) intercept(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, send grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	r, ok := req.(*pb.TxnRequest)
	if !ok {
		return send(ctx, method, req, reply, cc, opts...)
	}
	switch f.take(len(r.Compare) > 0) {
	case storetest.Refuse, storetest.LoseWrite:
		return errCut
	case storetest.LoseReply:
		if err := send(ctx, method, req, reply, cc, opts...); err != nil {
			return err
		}
		return errCut
	case storetest.Delay:
		f.mu.Lock()
		defer f.mu.Unlock()
		f.late = append(f.late, func() {
			_ = send(context.WithoutCancel(ctx), method, req, new(pb.TxnResponse), cc, opts...) // its outcome is lost
		})
		return errCut
	}
	return send(ctx, method, req, reply, cc, opts...)
}

// take returns the fault of a request, and takes it back.
func (f *Faults) take(writes bool) (fault storetest.Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if writes || f.next == storetest.Refuse {
		fault, f.next = f.next, storetest.OK
	}
	return fault
}
