package zookeeper

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/uidgen/uid/worker"
)

// A connection is what a store uses of a [*zk.Conn]. A program may pass a wrapper of one, say for
// traces.
type connection interface {
	Get(path string) ([]byte, *zk.Stat, error)
	Children(path string) ([]string, *zk.Stat, error)
	GetACL(path string) ([]zk.ACL, *zk.Stat, error)
	Create(path string, data []byte, flags int32, acl []zk.ACL) (string, error)
	Set(path string, data []byte, version int32) (*zk.Stat, error)
	Multi(ops ...any) ([]zk.MultiResponse, error)
	State() zk.State
	SessionID() int64
}

var _ connection = (*zk.Conn)(nil)

const (
	// sessionWait is how long a call waits for a session before it says that there is none.
	sessionWait = 2 * time.Second
	sessionPoll = 10 * time.Millisecond
)

// ready waits until the connection has a session. Without one a request would wait in the client
// library, which knows no contexts.
func (d *driver) ready(ctx context.Context) error {
	if d.conn.State() == zk.StateHasSession && ctx.Err() == nil {
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
		if d.conn.State() == zk.StateHasSession {
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

// barrier makes what is read after it, in the same session, as new as anything that was acknowledged before
// it. It writes nothing, but goes through the leader and a majority, as a check that fails does, too.
// (ZooKeeper's sync may be answered by a leader that was replaced and does not know yet.)
func (d *driver) barrier(ctx context.Context) error {
	err := d.multi(ctx, d.root, &zk.CheckVersionRequest{Path: d.root, Version: -1})
	if err == errRaced || errors.Is(err, zk.ErrNoAuth) { // it has gone the way all the same
		return nil
	}
	return err
}

// A node is what was read of one.
type node struct {
	data    string
	version int32
	found   bool
	err     error
	bad     error // why it must not be written
}

// get is a request for together.
func (d *driver) get(path string, n *node) func() {
	return func() {
		data, stat, err := d.conn.Get(path)
		switch {
		case err == nil:
			*n = node{data: string(data), version: stat.Version, found: true}
			if n.version == -1 { // as a condition it would stand for any version
				n.bad = fmt.Errorf("%w: node %s was written so often that its version is -1, which no write can "+
					"name; write it once by hand", worker.ErrUnconfirmed, path)
			}
		case err != zk.ErrNoNode:
			n.err = failure("read", path, err)
		}
	}
}

// children returns the names of the nodes below one; a missing node has none.
func (d *driver) children(ctx context.Context, path string) ([]string, error) {
	var names []string // no results: the request may write them when this has returned
	var err error
	if ended := together(ctx, func() { names, _, err = d.conn.Children(path) }); ended != nil {
		return nil, ended
	}
	if err == zk.ErrNoNode {
		return nil, nil
	}
	if err != nil {
		return nil, failure("list the children of", path, err)
	}
	return names, nil
}

// make makes an empty node, if it is missing. Its parent is there.
func (d *driver) make(ctx context.Context, path string) error {
	var err error
	if ended := together(ctx, func() { _, err = d.conn.Create(path, nil, 0, d.acl) }); ended != nil {
		return ended
	}
	if err == nil || err == zk.ErrNodeExists {
		return nil
	}
	return failure("make", path, err)
}

// makeAll makes a node, empty, and those above it that are missing: their parents may be somebody else's.
func (d *driver) makeAll(ctx context.Context, path string) error {
	for i, c := range path + "/" {
		if c != '/' || i == 0 {
			continue
		}
		var n node
		if err := together(ctx, d.get(path[:i], &n)); err != nil {
			return err
		}
		if n.found {
			continue
		}
		if err := d.make(ctx, path[:i]); err != nil {
			return err
		}
	}
	return nil
}
