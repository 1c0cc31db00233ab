package zookeeper

import (
	"cmp"
	"context"
	"maps"
	"strconv"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/uidgen/uid/internal/namespace"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/worker/lease"
)

const (
	// presenceEvery is how often a Presence looks whether its session has made its nodes.
	presenceEvery = 5 * time.Second
	// presencePatience bounds each of its attempts.
	presencePatience = 10 * time.Second
)

// A Presence shows people which holders of worker IDs are alive: the ephemeral node alive/17 below the namespace's
// node, with the holder's text as its data, is there while the session of the one who has worker ID 17 lasts. Make it
// with [NewPresence], pass its method OnEvent as the OnEvent of a [lease.Config], and Close it. No lease depends on it.
// A node may be missing, or last for a while longer, at most as long as the session; failures are tried again and not
// reported.
type Presence struct {
	driver *driver
	above  string
	holder []byte

	mu   sync.Mutex
	held map[int64]bool // worker IDs

	wake    chan struct{}
	stop    context.CancelFunc
	stopped chan struct{}
}

// NewPresence returns a Presence for one lease or several of a namespace, as Leases got its name, with the connection
// and the Config of New, and its errors. holder is for people. The Presence has a goroutine of its own.
func NewPresence(conn connection, cfg Config, name, holder string) (*Presence, error) {
	d, err := newDriver(conn, cfg)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	above := d.path(stores.Key{Namespace: cmp.Or(name, namespace.Default), ID: -1}.String()) + "/" + aliveName
	p := &Presence{driver: d, above: above, holder: []byte(holder), held: map[int64]bool{},
		wake: make(chan struct{}, 1), stop: stop, stopped: make(chan struct{})}
	go p.run(ctx)
	return p, nil
}

// OnEvent takes in what has happened to a lease. It does not block.
func (p *Presence) OnEvent(e lease.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e.Kind {
	case "acquired", "taken over":
		p.held[e.WorkerID] = true
	case "lost":
		delete(p.held, e.WorkerID)
	}
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Close removes the nodes, if the ensemble can be reached at once; else they last as long as the
// session. It may be called more than once.
func (p *Presence) Close() {
	p.stop()
	<-p.stopped
}

func (p *Presence) run(ctx context.Context) {
	defer close(p.stopped)
	every := time.NewTicker(presenceEvery)
	defer every.Stop()
	made := map[int64]int64{} // worker IDs whose nodes there are, and the sessions that have made them
	for {
		select {
		case <-p.wake:
		case <-every.C:
		case <-ctx.Done():
			p.show(context.WithoutCancel(ctx), nil, made)
			return
		}
		p.mu.Lock()
		held := maps.Clone(p.held)
		p.mu.Unlock()
		p.show(ctx, held, made)
	}
}

// show makes the nodes of those who hold IDs, and removes others that it has made.
func (p *Presence) show(ctx context.Context, held map[int64]bool, made map[int64]int64) {
	conn, above := p.driver.conn, p.above
	if conn.State() != zk.StateHasSession {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, presencePatience)
	defer cancel()
	path := func(id int64) string { return above + "/" + strconv.FormatInt(id, 10) }
	// of reports whether a node is one of a session.
	of := func(session, id int64) (bool, error) {
		_, stat, err := conn.Get(path(id))
		return err == nil && stat.EphemeralOwner == session, err
	}
	for id, session := range made {
		if held[id] {
			continue
		}
		var err error
		if together(ctx, func() {
			var ours bool
			if ours, err = of(session, id); ours { // another holder's session may have made one since
				err = conn.Delete(path(id), -1)
			}
		}) == nil && (err == nil || err == zk.ErrNoNode) {
			delete(made, id)
		}
	}
	for id := range held {
		if made[id] == conn.SessionID() || p.driver.make(ctx, above) != nil {
			continue
		}
		session := conn.SessionID()
		var err error
		if together(ctx, func() {
			_, err = conn.Create(path(id), p.holder, zk.FlagEphemeral, p.driver.acl)
			if err == zk.ErrNodeExists {
				if ours, _ := of(session, id); ours { // the reply to a former Create was lost
					err = nil
				}
			}
		}) == nil && err == nil {
			made[id] = session // if there is one of a former session it is gone soon
		}
	}
}
