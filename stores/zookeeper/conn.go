package zookeeper

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/uidgen/uid/worker"
)

// A Conn is what a [Store] uses of a [*zk.Conn]. A program may pass a wrapper of one, say for
// traces.
type Conn interface {
	Get(path string) ([]byte, *zk.Stat, error)
	Children(path string) ([]string, *zk.Stat, error)
	GetACL(path string) ([]zk.ACL, *zk.Stat, error)
	Create(path string, data []byte, flags int32, acl []zk.ACL) (string, error)
	Set(path string, data []byte, version int32) (*zk.Stat, error)
	Delete(path string, version int32) error
	Multi(ops ...any) ([]zk.MultiResponse, error)
	State() zk.State
	SessionID() int64
}

var _ Conn = (*zk.Conn)(nil)

const (
	// sessionWait is how long a call waits for a session before it says that there is none.
	sessionWait  = 2 * time.Second
	sessionPoll  = 10 * time.Millisecond
	sessionReady = zk.StateHasSession
)

// ready waits until the connection has a session. Without one a request would wait in the client
// library, which knows no contexts.
func (s *Store) ready(ctx context.Context) error {
	if s.conn.State() == sessionReady && ctx.Err() == nil {
		return nil
	}
	limit := time.NewTimer(sessionWait)
	defer limit.Stop()
	poll := time.NewTicker(sessionPoll)
	defer poll.Stop()
	for {
		if ctx.Err() != nil {
			return ended(ctx)
		}
		if s.conn.State() == sessionReady {
			return nil
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
		case <-limit.C:
			return errNoSession
		}
	}
}

// together runs requests at once, which the client library sends one after another without
// waiting for replies. When the context ends first the requests go on, until the library gives
// them up; then nothing that they write may be read.
func together(ctx context.Context, requests ...func()) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	var all sync.WaitGroup
	for _, r := range requests {
		all.Go(r)
	}
	done := make(chan struct{})
	go func() {
		all.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ended(ctx)
	}
}

// barrier makes what is read after it, in the same session, as new as anything that was
// acknowledged before it, and reports whether the checks hold at that time. It writes nothing, but
// goes through the leader and a majority, as a check that fails does, too. (ZooKeeper's sync may
// be answered by a leader that was replaced and does not know yet.)
func (s *Store) barrier(ctx context.Context, checks ...any) (session int64, hold bool, err error) {
	none := len(checks) == 0
	if none {
		checks = []any{&zk.CheckVersionRequest{Path: s.root, Version: -1}}
	}
	session = s.conn.SessionID()
	var failed error
	if err := together(ctx, func() { _, failed = s.conn.Multi(checks...) }); err != nil {
		return 0, false, err
	}
	switch failed {
	case nil:
		return session, true, nil
	case zk.ErrBadVersion, zk.ErrNoNode:
		return session, none, nil
	case zk.ErrNoAuth:
		if none { // it has gone the way all the same
			return session, true, nil
		}
	}
	return 0, false, failure("look again at", s.root, failed)
}

// A node is what was read of one.
type node struct {
	data    []byte
	version int32
	found   bool
	err     error
}

// get is a request for together.
func (s *Store) get(path string, n *node) func() {
	return func() {
		*n = node{}
		data, stat, err := s.conn.Get(path)
		switch {
		case err == nil && stat.Version == -1:
			// As a condition it would stand for any version.
			n.err = fmt.Errorf("%w: node %s was written so often that its version is -1, which no write can name; write it once by hand", worker.ErrUnconfirmed, path)
		case err == nil:
			*n = node{data: data, version: stat.Version, found: true}
		case err != zk.ErrNoNode:
			n.err = failure("read", path, err)
		}
	}
}

// made reports whether there is a namespace in its node.
func (n node) made() bool { return len(n.data) > 0 }

// names are the children of a node.
type names struct {
	names []string
	err   error
}

// children is a request for together. A missing node has none.
func (s *Store) children(path string, n *names) func() {
	return func() {
		found, _, err := s.conn.Children(path)
		if err == nil {
			n.names = found
		} else if err != zk.ErrNoNode {
			n.err = failure("list the children of", path, err)
		}
	}
}

// ids returns the worker IDs of those that are rows, in ascending order.
func (n names) ids() (ids []int64) {
	for _, name := range n.names {
		if id, ok := idOf(name); ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// top returns the highest worker ID that has a row, -1 if none has one.
func (n names) top() int64 {
	ids := n.ids()
	if len(ids) == 0 {
		return -1
	}
	return ids[len(ids)-1]
}
