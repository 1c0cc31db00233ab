package zookeeper_test

import (
	"slices"
	"sync"

	"github.com/go-zookeeper/zk"

	"github.com/uidgen/uid/stores/zookeeper"
	"github.com/uidgen/uid/worker/storetest"
)

// A faulty holds back writes for a while.
type faulty struct {
	mu   sync.Mutex
	late []func()
}

// deliver lets the writes arrive that were held back.
func (f *faulty) deliver() {
	f.mu.Lock()
	late := f.late
	f.late = nil
	f.mu.Unlock()
	for _, write := range late {
		write()
	}
}

// A faultyConn is a connection on which one call of a store fails.
type faultyConn struct {
	zookeeper.Conn
	f *faulty

	mu    sync.Mutex
	fault storetest.Fault
}

func (c *faultyConn) set(f storetest.Fault) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fault = f
	return true
}

// take returns the fault, if it is one of those, and clears it.
func (c *faultyConn) take(of ...storetest.Fault) storetest.Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range of {
		if c.fault == f {
			c.fault = storetest.OK
			return f
		}
	}
	return storetest.OK
}

func (c *faultyConn) Get(path string) ([]byte, *zk.Stat, error) {
	if c.take(storetest.Refuse) != storetest.OK {
		return nil, nil, zk.ErrConnectionClosed
	}
	return c.Conn.Get(path)
}

func (c *faultyConn) Multi(ops ...any) ([]zk.MultiResponse, error) {
	if !slices.ContainsFunc(ops, func(op any) bool { _, is := op.(*zk.CheckVersionRequest); return !is }) {
		return c.Conn.Multi(ops...) // it writes nothing
	}
	switch c.take(storetest.LoseWrite, storetest.LoseReply, storetest.Delay) {
	case storetest.LoseWrite:
		return nil, zk.ErrConnectionClosed
	case storetest.LoseReply:
		_, _ = c.Conn.Multi(ops...)
		return nil, zk.ErrConnectionClosed
	case storetest.Delay:
		c.f.mu.Lock()
		defer c.f.mu.Unlock()
		c.f.late = append(c.f.late, func() { _, _ = c.Conn.Multi(ops...) })
		return nil, zk.ErrConnectionClosed
	}
	return c.Conn.Multi(ops...)
}
