package redis_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"sync/atomic"

	goredis "github.com/redis/go-redis/v9"
)

// A wire loses the reply to the next command that contains a text. The server has carried it out, and
// the client finds its connection closed.
type wire struct {
	hook
	text atomic.Pointer[string]
	lost atomic.Int64
}

func (w *wire) lose(text string) { w.text.Store(&text) }

func (w *wire) DialHook(next goredis.DialHook) goredis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := next(ctx, network, addr)
		return &wired{Conn: c, wire: w}, err
	}
}

type wired struct {
	net.Conn
	*wire
	loses, ends atomic.Bool // the next reply, the connection
}

func (w *wired) Write(b []byte) (int, error) {
	if text := w.text.Load(); text != nil && bytes.Contains(b, []byte(*text)) {
		w.text.Store(nil)
		w.loses.Store(true)
	}
	return w.Conn.Write(b)
}

func (w *wired) Read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	if err == nil && w.loses.CompareAndSwap(true, false) {
		w.lost.Add(1)
		w.ends.Store(true)
	}
	if w.ends.Load() {
		return 0, io.EOF
	}
	return n, err
}
