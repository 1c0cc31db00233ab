package zookeeper

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-zookeeper/zk"

	"github.com/uidgen/uid/worker"
)

var errNoSession = worker.Unreachable(errors.New("zookeeper: there is no session with the ensemble: no server is " +
	"reached, or none has a majority behind it"))

// ended returns the error of a call whose context has ended. It may pass: it says nothing against
// the store.
func ended(ctx context.Context) error {
	return worker.Transient(fmt.Errorf("zookeeper: gave up: %w", ctx.Err()))
}

// failures are the errors of the client library that a call can return: fixed texts, and whether they may pass.
var failures = []struct {
	err    error
	passes bool
}{
	{zk.ErrNoServer, true}, {zk.ErrConnectionClosed, true}, {zk.ErrSessionExpired, true}, {zk.ErrSessionMoved, true},
	{zk.ErrClosing, true},
	{zk.ErrNoAuth, false}, {zk.ErrAuthFailed, false}, {zk.ErrInvalidACL, false}, {zk.ErrNoNode, false},
	{zk.ErrNodeExists, false},
	{zk.ErrBadVersion, false}, {zk.ErrNotEmpty, false}, {zk.ErrNoChildrenForEphemerals, false},
	{zk.ErrBadArguments, false},
	{zk.ErrAPIError, false}, {zk.ErrInvalidPath, false}, {zk.ErrShortBuffer, false},
}

// Codes of servers for which the client library has no error of its own.
var passing = map[int]string{
	-4: "the server lost its connection", -7: "the server's time was up", -122: "the request's time was up",
	-127: "the server is overloaded",
}

// failure returns the error of a request, in words of this package. errors.Is finds the client
// library's, if that is a fixed one. What others say (the network's, say) is not passed on.
func failure(doing, path string, err error) error {
	for _, f := range failures {
		if errors.Is(err, f.err) {
			told := fmt.Errorf("zookeeper: %s node %s: %w", doing, path, f.err)
			if f.passes {
				return worker.Transient(told)
			}
			return told
		}
	}
	var code int
	if n, _ := fmt.Sscanf(err.Error(), "unknown error: %d", &code); n == 1 {
		if text, passes := passing[code]; passes {
			return worker.Transient(fmt.Errorf("zookeeper: %s node %s: %s (error %d)", doing, path, text, code))
		}
		return fmt.Errorf("zookeeper: %s node %s: the server's error %d", doing, path, code)
	}
	// The client library passes on what the network says.
	return worker.Transient(fmt.Errorf("zookeeper: %s node %s: the connection failed (%T)", doing, path, err))
}
