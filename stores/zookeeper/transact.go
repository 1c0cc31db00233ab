package zookeeper

import (
	"context"
	"errors"

	"github.com/go-zookeeper/zk"

	"github.com/uidgen/uid/worker"
)

// errRaced says that somebody else has written what was to be written.
var errRaced = errors.New("zookeeper: another client was faster")

// refused is the error of a try that has written nothing: what it read says so, or decide does.
type refused struct {
	error
	byDecide bool
	// checks say what was read: nodes at their versions. Nodes that were missing are not among
	// them, and some says so.
	checks []any
	some   bool
}

// transact runs try until it has written, or what it read is known to have been the newest, all
// of it at one time. A read can be of a server that lags behind. That does no harm where a write
// compares the versions; where there is to be none, they are compared all the same.
//
// try reads in one session, in which no state comes after a later one.
func (s *Store) transact(ctx context.Context, try func(a attempt) error) error {
	var newest int64 // the session that is behind a barrier
	said := false    // by decide, at some run, maybe its last: no
	for {
		if err := s.ready(ctx); err != nil {
			return err
		}
		session := s.conn.SessionID()
		err := try(attempt{s.conn, session, newest == session})
		no, is := err.(refused)
		if !is {
			if err == errRaced {
				continue
			}
			return err
		}
		said = said || no.byDecide
		behind, as, err := s.barrier(ctx, no.checks...)
		if err != nil {
			return err
		}
		if as && (!no.some || newest == session) {
			if said && !no.byDecide {
				// It may not be what decide said last.
				return worker.Transient(no.error)
			}
			return no.error
		}
		newest = behind
	}
}

// An attempt is one try of a call.
type attempt struct {
	conn    Conn
	session int64
	sure    bool // what it reads is behind a barrier
}

// whole returns errRaced when another session has begun, so that a part of what was read may be
// older than what was read before it.
func (a attempt) whole() error {
	if a.conn.SessionID() != a.session {
		return errRaced
	}
	return nil
}

// write carries out all of the operations, below a path, or none. It returns errRaced when nodes are not as they
// were read, with the first such operation.
func (s *Store) write(ctx context.Context, path string, ops ...any) (first int, err error) {
	var results []zk.MultiResponse
	if ended := together(ctx, func() { results, err = s.conn.Multi(ops...) }); ended != nil {
		return 0, ended
	}
	switch err {
	case nil:
		return 0, nil
	case zk.ErrBadVersion, zk.ErrNoNode, zk.ErrNodeExists:
		for first < len(results) && results[first].Error == nil {
			first++
		}
		return first, errRaced
	}
	return 0, failure("write below", path, err)
}

// makeAll makes a node, empty, and all nodes above it.
func (s *Store) makeAll(ctx context.Context, path string) error {
	var paths []string
	for i, c := range path + "/" {
		if c == '/' && i > 0 {
			paths = append(paths, path[:i])
		}
	}
	nodes := make([]node, len(paths))
	var gets []func()
	for i, path := range paths {
		gets = append(gets, s.get(path, &nodes[i]))
	}
	if err := together(ctx, gets...); err != nil {
		return err
	}
	for i, path := range paths {
		if nodes[i].found {
			continue // its parent may be somebody else's
		}
		if err := s.make(ctx, path); err != nil {
			return err
		}
	}
	return nil
}
