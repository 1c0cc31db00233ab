package server

import (
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// silent is how long after a full listener was logged it is logged again.
const silent = time.Minute

// A limited listener has so many connections at once, and closes what comes beyond. Where a token is asked for,
// a connection has strangerTime to show it.
type limited struct {
	net.Listener
	slots   chan struct{} // one for each connection
	token   bool
	told    time.Time // of a full listener; of the goroutine that accepts
	metrics *connections
	log     *slog.Logger
	name    string // of the protocol
}

// A guest is a connection that was accepted. Its methods other than those of net.Conn may be called on nil.
type guest struct {
	net.Conn
	host  *limited
	ended sync.Once
	timer *time.Timer // until the token has to be shown; nil where none is asked for
	shown atomic.Bool
}

func (s *Server) limit(l net.Listener, protocol int) net.Listener {
	return &limited{
		Listener: l, slots: make(chan struct{}, s.cfg.MaxConns), token: s.cfg.Token != nil,
		metrics: &s.metrics.connections[protocol], log: s.cfg.Logger, name: protocols[protocol],
	}
}

func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case l.slots <- struct{}{}:
			g := &guest{Conn: c, host: l}
			if l.token {
				g.timer = time.AfterFunc(strangerTime, func() { _ = c.Close() })
			}
			l.count()
			return g, nil
		default:
			_ = c.Close()
			l.metrics.refused.Inc()
			if time.Since(l.told) > silent {
				l.told = time.Now()
				l.log.Warn("uid: all connections are in use, and more are refused",
					"protocol", l.name, "limit", cap(l.slots))
			}
		}
	}
}

func (l *limited) count() { l.metrics.open.Set(float64(len(l.slots))) }

func (g *guest) Close() error {
	g.ended.Do(func() {
		if g.timer != nil {
			g.timer.Stop()
		}
		<-g.host.slots
		g.host.count()
	})
	return g.Conn.Close()
}

// shows notes that the token was shown.
func (g *guest) shows() {
	if g != nil && g.timer != nil && !g.shown.Swap(true) {
		g.timer.Stop()
	}
}

// fails notes that no token was shown, or a wrong one, where it is asked for: what was shown last counts.
func (g *guest) fails() {
	if g != nil && g.shown.Swap(false) {
		g.timer.Reset(strangerTime)
	}
}

// guestOf returns the guest within a connection, nil if there is none.
func guestOf(c net.Conn) *guest {
	switch c := c.(type) {
	case *guest:
		return c
	case interface{ NetConn() net.Conn }: // of TLS
		return guestOf(c.NetConn())
	}
	return nil
}
