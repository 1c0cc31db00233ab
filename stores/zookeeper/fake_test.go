package zookeeper

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"
)

// A fake is an ensemble in memory. It keeps all states, since a connection may see an old one.
type fake struct {
	mu     sync.Mutex
	now    func() time.Time
	states []map[string]fakeNode // by zxid
	late   []func()
	next   int64 // session
}

type fakeNode struct {
	data    string
	version int32
	mtime   int64
}

func newFake(now func() time.Time) *fake {
	return &fake{now: now, states: []map[string]fakeNode{{"/": {}}}}
}

// A fakeConn is a session. What it reads is never older than what it has read before or has
// written; with lag it is no newer, either, and else as new as chance will have it.
type fakeConn struct {
	f   *fake
	lag bool

	// What follows is guarded by f.mu.
	seen    int
	session int64
	state   zk.State
	late    bool // the next write is held back
	reads   int  // since the last count
	writes  int
	refuse  map[string]bool // operations that come to ErrNoAuth
	hold    chan struct{}   // requests wait until it is closed
	delay   time.Duration   // of all requests
	err     error           // of all requests
	looked  func()          // after each barrier
	acl     []zk.ACL
}

func (f *fake) connect(lag bool) *fakeConn {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next++
	return &fakeConn{f: f, lag: lag, session: f.next, state: zk.StateHasSession, acl: zk.WorldACL(zk.PermAll)}
}

// expire begins a new session, which may be with a server that lags behind further.
func (c *fakeConn) expire() {
	c.f.mu.Lock()
	defer c.f.mu.Unlock()
	c.f.next++
	c.session, c.seen = c.f.next, 0
}

func (c *fakeConn) State() zk.State {
	c.f.mu.Lock()
	defer c.f.mu.Unlock()
	return c.state
}

func (c *fakeConn) SessionID() int64 {
	c.f.mu.Lock()
	defer c.f.mu.Unlock()
	return c.session
}

// counts returns how many requests there were since the last call.
func (c *fakeConn) counts() (reads, writes int) {
	c.f.mu.Lock()
	defer c.f.mu.Unlock()
	reads, writes, c.reads, c.writes = c.reads, c.writes, 0, 0
	return reads, writes
}

func (c *fakeConn) begin(op string) error {
	c.f.mu.Lock()
	hold, delay, err := c.hold, c.delay, c.err
	if c.refuse[op] {
		err = zk.ErrNoAuth
	}
	c.f.mu.Unlock()
	if hold != nil {
		<-hold
	}
	time.Sleep(delay)
	return err
}

// view returns the state that a read of a node sees.
func (c *fakeConn) view(op, path string) (state map[string]fakeNode, err error) {
	if err := c.begin(op); err != nil {
		return nil, err
	}
	c.f.mu.Lock()
	defer c.f.mu.Unlock()
	c.reads++
	if !c.lag {
		c.seen += rand.IntN(len(c.f.states) - c.seen)
	}
	state = c.f.states[c.seen]
	if _, found := state[path]; !found {
		err = zk.ErrNoNode
	}
	return state, err
}

func (c *fakeConn) Get(path string) ([]byte, *zk.Stat, error) {
	state, err := c.view("get", path)
	if err != nil {
		return nil, &zk.Stat{}, err
	}
	n := state[path]
	return []byte(n.data), &zk.Stat{Version: n.version, Mtime: n.mtime}, nil
}

func (c *fakeConn) Children(parent string) (names []string, _ *zk.Stat, err error) {
	state, err := c.view("children", parent)
	for p := range state {
		if p != "/" && path.Dir(p) == parent {
			names = append(names, path.Base(p))
		}
	}
	return names, &zk.Stat{}, err
}

func (c *fakeConn) GetACL(path string) ([]zk.ACL, *zk.Stat, error) {
	_, err := c.view("getACL", path)
	return c.acl, &zk.Stat{}, err
}

func (c *fakeConn) Create(path string, data []byte, flags int32, acl []zk.ACL) (string, error) {
	_, err := c.commit("create", &zk.CreateRequest{Path: path, Data: data, Acl: acl, Flags: flags})
	return path, err
}

func (c *fakeConn) Set(path string, data []byte, version int32) (*zk.Stat, error) {
	results, err := c.commit("set", &zk.SetDataRequest{Path: path, Data: data, Version: version})
	if err != nil {
		return &zk.Stat{}, err
	}
	return results[0].Stat, nil
}

func (c *fakeConn) Delete(path string, version int32) error {
	_, err := c.commit("delete", &zk.DeleteRequest{Path: path, Version: version})
	return err
}

func (c *fakeConn) Multi(ops ...any) ([]zk.MultiResponse, error) {
	if !slices.ContainsFunc(ops, func(op any) bool { _, is := op.(*zk.CheckVersionRequest); return !is }) {
		results, err := c.commit("check", ops...) // it writes nothing
		c.f.mu.Lock()
		looked := c.looked
		c.f.mu.Unlock()
		if looked != nil {
			looked()
		}
		return results, err
	}
	if c.late {
		c.late = false
		c.f.late = append(c.f.late, func() { _, _ = c.commit("multi", ops...) })
		return nil, zk.ErrConnectionClosed
	}
	return c.commit("multi", ops...)
}

// deliver lets the writes arrive that were held back.
func (f *fake) deliver() {
	for _, write := range f.late {
		write()
	}
}

// commit carries out all operations or none. The connection then sees the newest state.
func (c *fakeConn) commit(name string, ops ...any) ([]zk.MultiResponse, error) {
	if err := c.begin(name); err != nil {
		return nil, err
	}
	f := c.f
	f.mu.Lock()
	defer f.mu.Unlock()
	state := maps.Clone(f.states[len(f.states)-1])
	results := make([]zk.MultiResponse, len(ops))
	var failed error
	for i, op := range ops {
		if results[i].Stat, failed = apply(state, op, f.now().UnixMilli()); failed != nil {
			results[i].Error = failed
			break
		}
	}
	if failed == nil {
		f.states = append(f.states, state)
	}
	c.seen, c.writes = len(f.states)-1, c.writes+1
	return results, failed
}

func apply(state map[string]fakeNode, op any, now int64) (*zk.Stat, error) {
	at := func(path string, version int32) (fakeNode, error) {
		n, found := state[path]
		switch {
		case !found:
			return n, zk.ErrNoNode
		case version != -1 && version != n.version:
			return n, zk.ErrBadVersion
		}
		return n, nil
	}
	switch op := op.(type) {
	case *zk.CheckVersionRequest:
		_, err := at(op.Path, op.Version)
		return nil, err
	case *zk.CreateRequest:
		if _, found := state[path.Dir(op.Path)]; !found {
			return nil, zk.ErrNoNode
		}
		if _, found := state[op.Path]; found {
			return nil, zk.ErrNodeExists
		}
		state[op.Path] = fakeNode{string(op.Data), 0, now}
		return nil, nil
	case *zk.SetDataRequest:
		n, err := at(op.Path, op.Version)
		if err != nil {
			return nil, err
		}
		state[op.Path] = fakeNode{string(op.Data), n.version + 1, now}
		return &zk.Stat{Version: n.version + 1, Mtime: now}, nil
	case *zk.DeleteRequest:
		if _, err := at(op.Path, op.Version); err != nil {
			return nil, err
		}
		for p := range state {
			if strings.HasPrefix(p, op.Path+"/") {
				return nil, zk.ErrNotEmpty
			}
		}
		delete(state, op.Path)
		return nil, nil
	}
	panic(fmt.Sprintf("fake: %T", op))
}
