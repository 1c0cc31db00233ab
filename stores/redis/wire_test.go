package redis_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"sync/atomic"

	goredis "github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/internal/orders"
	"github.com/uidgen/uid/stores/redis"
)

// A wire loses the reply to the next command that contains a text. The server has carried it out, and
// the client finds its connection closed, or waits.
type wire struct {
	text atomic.Pointer[string]
	hang bool
	lost atomic.Int64
}

func (w *wire) lose(text string) { w.text.Store(&text) }

// store is a store over the wire.
func (w *wire) store(f *fake, o goredis.Options) *stores.Store {
	o.Addr, o.Password, o.MinRetryBackoff = f.Addr(), orders.Secret, -1
	o.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		return &wired{Conn: c, wire: w}, err
	}
	c := goredis.NewClient(&o)
	f.t.Cleanup(func() { _ = c.Close() })
	s, err := redis.New(c, redis.Config{})
	require.NoError(f.t, err)
	return s
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
		if w.hang {
			return w.Conn.Read(b) // nothing comes any more
		}
		w.ends.Store(true)
	}
	if w.ends.Load() {
		return 0, io.EOF
	}
	return n, err
}
