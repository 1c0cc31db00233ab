package serve

import (
	"container/list"
	"crypto/tls"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	moment = time.Second // that a stranger has at least, while there is room in the house
	silent = time.Minute // without the like of it, after which a full house is logged again
)

// A door lets the connections of a protocol in. Where a token is asked for they come in as strangers, and
// become clients by showing it. Strangers have few places, and these for seconds; they never take a
// client's. For one more the oldest of them leaves, so that a client that shows the token at once is let in
// whatever strangers do. Without a token all are clients.
type door struct {
	net.Listener
	protocol string
	limits   Limits
	token    bool
	farewell string // to who finds no place; "" over TLS
	partings chan struct{}
	metrics  *connections
	log      *slog.Logger

	full, crowded episode

	mu        sync.Mutex
	clients   int
	strangers list.List // of *guest, who has been one for longest first
}

// A guest is a connection that was let in. Its methods other than those of net.Conn may be called on nil,
// which is a client for ever.
type guest struct {
	net.Conn
	door *door

	// What follows is under the door's mu.
	standing standing
	since    time.Time     // a stranger
	place    *list.Element // among strangers
	timeout  *time.Timer   // of a stranger
}

type standing int

const (
	outside standing = iota // not yet in, or closed
	stranger
	client
)

func (s *Server) door(l net.Listener, protocol int, farewell string) *door {
	if s.cfg.TLS != nil {
		farewell = ""
	}
	return &door{
		Listener: l, protocol: protocols[protocol], limits: s.cfg.Limits, token: s.cfg.Token != nil, farewell: farewell,
		partings: make(chan struct{}, 64), metrics: &s.metrics.connections[protocol], log: s.cfg.Logger,
	}
}

func (d *door) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		g := &guest{Conn: c, door: d}
		if d.token {
			d.estrange(g, outside)
			return g, nil
		}
		if d.admit(g, outside) {
			return g, nil
		}
		select {
		case d.partings <- struct{}{}:
			go func() {
				defer func() { <-d.partings }()
				part(c, d.farewell)
			}()
		default:
			_ = c.Close()
		}
	}
}

// admit makes a guest a client, if it has the standing from or is one already. It reports whether it is.
func (d *door) admit(g *guest, from standing) bool {
	d.mu.Lock()
	full := g.standing == from && d.clients >= d.limits.Connections
	if g.standing == from && !full {
		d.move(g, client)
	}
	is := g.standing == client
	d.mu.Unlock()
	if full {
		d.metrics.refused.Add(1)
		if d.full.begins() {
			d.log.Warn("uid: all connections are in use, and one more is refused",
				"protocol", d.protocol, "limit", d.limits.Connections)
		}
	}
	return is
}

// estrange makes a guest of the standing from a stranger, and has the oldest leave of those that are too
// many.
func (d *door) estrange(g *guest, from standing) {
	d.mu.Lock()
	if g.standing == from {
		d.move(g, stranger)
	}
	crowded := false
	for d.strangers.Len() > d.limits.Strangers {
		oldest := d.strangers.Front().Value.(*guest)
		full := d.clients+d.strangers.Len() > d.limits.Connections+d.limits.Strangers
		// Many clients may have come at once, and are about to show the token.
		if !full && time.Since(oldest.since) < moment {
			break
		}
		crowded = true
		d.metrics.evicted.Add(1)
		d.move(oldest, outside)
		_ = oldest.Conn.Close()
	}
	d.mu.Unlock()
	if crowded && d.crowded.begins() {
		d.log.Warn("uid: too many connections have not shown the token: the oldest of them are closed",
			"protocol", d.protocol, "limit", d.limits.Strangers)
	}
}

// move gives a guest another standing. d.mu is held.
func (d *door) move(g *guest, to standing) {
	switch g.standing {
	case stranger:
		d.strangers.Remove(g.place)
		g.timeout.Stop()
	case client:
		d.clients--
	}
	g.standing = to
	switch to {
	case stranger:
		g.since, g.place = time.Now(), d.strangers.PushBack(g)
		g.timeout = time.AfterFunc(strangerTime, g.expire)
	case client:
		d.clients++
	}
	d.metrics.open.Set(float64(d.clients + d.strangers.Len()))
	d.metrics.strangers.Set(float64(d.strangers.Len()))
}

// expire ends a stranger's time; who has become a client just now stays.
func (g *guest) expire() {
	g.door.mu.Lock()
	defer g.door.mu.Unlock()
	if g.standing == stranger {
		g.door.move(g, outside)
		_ = g.Conn.Close()
	}
}

func (g *guest) Close() error {
	g.door.mu.Lock()
	if g.standing != outside {
		g.door.move(g, outside)
	}
	g.door.mu.Unlock()
	return g.Conn.Close()
}

// shows notes that the token was shown. It reports false if there is no place for another client.
func (g *guest) shows() bool { return g == nil || g.door.admit(g, stranger) }

// fails notes that no token was shown, or a wrong one, where it is asked for: what was shown last counts.
func (g *guest) fails() {
	if g != nil {
		g.door.estrange(g, client)
	}
}

// guestOf returns the guest within a connection, nil if there is none.
func guestOf(c net.Conn) *guest {
	switch c := c.(type) {
	case *guest:
		return c
	case *patientConn:
		return guestOf(c.Conn)
	case *tls.Conn:
		return guestOf(c.NetConn())
	}
	return nil
}

// part says farewell, and waits a moment for the client to read it: closing a connection with unread data
// would take the farewell back.
func part(c net.Conn, farewell string) {
	defer c.Close()
	if farewell == "" {
		return
	}
	_ = c.SetDeadline(time.Now().Add(time.Second))
	if _, err := c.Write([]byte(farewell)); err != nil {
		return
	}
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	rest := make([]byte, 4096)
	for range 16 {
		if _, err := c.Read(rest); err != nil {
			return
		}
	}
}

// An episode is a time in which something happens again and again.
type episode struct{ last atomic.Int64 } // when, in Unix nanoseconds

// begins notes that it happens, and reports whether it has not done so for a while.
func (e *episode) begins() bool {
	now := time.Now().UnixNano()
	return now-e.last.Swap(now) > int64(silent)
}
