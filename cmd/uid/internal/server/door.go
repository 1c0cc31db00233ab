package server

import (
	"crypto/tls"
	"log/slog"
	"net"
	"sync"
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

// A guest is a connection that was accepted.
type guest struct {
	net.Conn
	host  *limited
	ended sync.Once
	timer *time.Timer // until the token has to be shown; nil where none is asked for
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

// admit lets a connection stay, since the token was shown on it. In tests there may be none.
func admit(c net.Conn) {
	if secure, is := c.(*tls.Conn); is {
		c = secure.NetConn()
	}
	if g, is := c.(*guest); is && g.timer != nil {
		g.timer.Stop()
	}
}
