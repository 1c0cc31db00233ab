package server

import (
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// tooSlow is the answer to a request that was not read to its end.
const tooSlow = "HTTP/1.1 408 Request Timeout\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n" +
	"Connection: close\r\nContent-Length: 47\r\n\r\n{\"error\":\"the request did not come to an end\"}\n"

// A patient listener tells clients that are too slow that they are.
type patient struct{ net.Listener }

func (l patient) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &patientConn{Conn: c}, nil
}

// A patientConn knows whether a request's header has begun and not ended: net/http would close the
// connection without a word when that takes too long.
type patientConn struct {
	net.Conn
	within atomic.Bool
}

// ended notes that a header on a connection has come to its end.
func ended(c net.Conn) {
	if c, ok := c.(*patientConn); ok {
		c.within.Store(false)
	}
}

func (c *patientConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.within.Store(true)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) && c.within.CompareAndSwap(true, false) {
		_ = c.Conn.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = c.Conn.Write([]byte(tooSlow))
	}
	return n, err
}

func (c *patientConn) Write(b []byte) (int, error) {
	c.within.Store(false)
	return c.Conn.Write(b)
}
