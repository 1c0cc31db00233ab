package proxy

import (
	"bytes"
	"net"
	"time"
)

// A line is one direction of a connection. What is written to it arrives after its latency.
// One goroutine writes to it, and then drains it.
type line struct {
	conn    *conn
	end     net.Conn
	latency time.Duration
	way     chan message // nil without a latency
	drained chan struct{}
}

type message struct {
	due  time.Time
	text []byte
}

// newLine returns a line to an end of a connection.
func newLine(c *conn, end net.Conn, latency time.Duration) *line {
	l := &line{conn: c, end: end, latency: latency}
	if latency > 0 {
		l.way, l.drained = make(chan message, 1024), make(chan struct{})
		go l.carry()
	}
	return l
}

// write sends text, which it copies if it keeps it.
func (l *line) write(text []byte) error {
	if l.way == nil {
		_, err := l.end.Write(text)
		return err
	}
	select {
	case l.way <- message{time.Now().Add(l.latency), bytes.Clone(text)}:
		return nil
	case <-l.conn.over:
		return net.ErrClosed
	}
}

// carry writes each message to the end when it is due.
func (l *line) carry() {
	defer close(l.drained)
	never := make(chan struct{})
	for m := range l.way {
		if !l.conn.wait(time.Until(m.due), never) {
			continue // the connection is over
		}
		if _, err := l.end.Write(m.text); err != nil {
			l.conn.end()
		}
	}
}

// drain waits until what is on its way has arrived, or the connection is over.
func (l *line) drain() {
	if l.way != nil {
		close(l.way)
		<-l.drained
	}
}
