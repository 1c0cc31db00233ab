package etcd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/uidgen/uid/worker"
)

// advice says what to do about errors of etcd that are final.
var advice = map[error]string{
	rpctypes.ErrNoSpace: "compact its history, defragment its members and disarm the alarm NOSPACE, then set " +
		"--auto-compaction-retention",
	rpctypes.ErrPermissionDenied: "grant the account's role readwrite on the prefix of the keys",
	rpctypes.ErrAuthFailed:       "check the client's user and password",
	rpctypes.ErrUserEmpty:        "the cluster asks for authentication, and the client has no user",
	rpctypes.ErrRequestTooLarge:  "raise --max-request-bytes, whose default suffices",
	rpctypes.ErrTooManyOps:       "raise --max-txn-ops to 128, its default",
	rpctypes.ErrCorrupt:          "a member's data differ from the others': replace it",
	rpctypes.ErrNotCapable:       "upgrade the cluster",
}

// mayPass are errors of etcd that pass though their code does not say so.
var mayPass = []error{
	rpctypes.ErrNotLeader, rpctypes.ErrTooManyRequests, rpctypes.ErrInvalidAuthToken, rpctypes.ErrAuthOldRevision,
	rpctypes.ErrClusterVersionUnavailable, rpctypes.ErrDowngradeInProcess,
}

// phrases are what is repeated of other texts, which may quote an address, an account or a
// token.
var phrases = []struct {
	code    codes.Code // of the error; OK for any
	in, say string
	passes  bool
}{
	{codes.Canceled, "client connection is closing", "the client is closed", false},
	{codes.Canceled, "etcdserver: request canceled", "the member canceled the request", true},
	{codes.Unknown, "raft proposal dropped", "the leader changed", true},
	{codes.Unknown, "raft: stopped", "the member is stopping", true},
	{codes.Unknown, "context deadline exceeded", "the member gave the request up: it is overloaded, or without a " +
		"leader", true},
	{codes.Unknown, "context canceled", "the member gave the request up", true},
	{codes.ResourceExhausted, "larger than max", "a message is larger than the client allows: raise its " +
		"MaxCallSendMsgSize and MaxCallRecvMsgSize", false},
	{codes.Unavailable, "handshake failed", "the TLS handshake failed", true},
	{codes.Unavailable, "connection refused", "connection refused", true},
	{codes.Unavailable, "no such host", "there is no such host", true},
	{codes.Unavailable, "", "the connection failed", true},
	{codes.Internal, "", "the connection failed in between", true},
}

// failed returns the error of a request. It is marked if it may pass. errors.As finds etcd's own
// errors in it (rpctypes.EtcdError), whose texts are fixed; all other texts are withheld.
func failed(ctx context.Context, doing string, err error) error {
	if e := ctx.Err(); e != nil {
		return worker.Transient(fmt.Errorf("etcd: %s: %w", doing, e))
	}
	if known, ok := errors.AsType[rpctypes.EtcdError](rpctypes.Error(err)); ok {
		return ofServer(doing, known)
	}
	s, ok := status.FromError(err)
	for _, e := range []error{context.DeadlineExceeded, context.Canceled} {
		if errors.Is(err, e) || ok && s.Code() == codes.DeadlineExceeded && e == context.DeadlineExceeded {
			return worker.Transient(fmt.Errorf("etcd: %s: no answer within the RequestTimeout: %w", doing, e))
		}
	}
	if errors.Is(err, clientv3.ErrNoAvailableEndpoints) {
		return fmt.Errorf("etcd: %s: the client has no endpoints", doing)
	}
	if !ok {
		return fmt.Errorf("etcd: %s: %T (its text is withheld, for it may quote an address or an account)", doing, err)
	}
	for _, p := range phrases {
		if p.code == s.Code() && strings.Contains(s.Message(), p.in) {
			e := fmt.Errorf("etcd: %s: %s (%v)", doing, p.say, s.Code())
			if p.passes {
				return worker.Transient(e)
			}
			return e
		}
	}
	return fmt.Errorf("etcd: %s: %v (its text is withheld, for it may quote an address or an account)", doing, s.Code())
}

// ofServer returns the error that a member has answered.
func ofServer(doing string, err rpctypes.EtcdError) error {
	if err.Code() == codes.Unavailable || slices.Contains(mayPass, error(err)) {
		return worker.Transient(fmt.Errorf("etcd: %s: %w", doing, err))
	}
	if do, known := advice[err]; known {
		return fmt.Errorf("etcd: %s: %w: %s", doing, err, do)
	}
	return fmt.Errorf("etcd: %s: %w", doing, err)
}
