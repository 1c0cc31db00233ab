package kubernetes

import (
	"context"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/stores/internal/orders"
	"github.com/uidgen/uid/stores/kubernetes/internal/fake"
)

// A wire is a connection that can be cut without a word to its ends.
type wire struct {
	net.Conn
	cut *atomic.Bool
}

func (w wire) Read(p []byte) (n int, err error) {
	for n, err = w.Conn.Read(p); err == nil && w.cut.Load(); n, err = w.Conn.Read(p) {
	}
	return n, err
}

func (w wire) Write(p []byte) (n int, err error) {
	if w.cut.Load() {
		return len(p), nil
	}
	return w.Conn.Write(p)
}

// A network has connections without a buffer.
type network struct {
	conns chan net.Conn
	close sync.Once
}

func (n *network) Accept() (net.Conn, error) {
	conn, open := <-n.conns
	if !open {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (n *network) Close() error {
	n.close.Do(func() { close(n.conns) })
	return nil
}

func (n *network) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 443} }

// A connection that is dead is given up after a ping, and another one is made.
func TestDeadConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, n := fake.New(time.Now), &network{conns: make(chan net.Conn)}
		s.Allow(orders.Secret, "shop", "get", "list", "create", "update")
		server := &httptest.Server{Listener: n, EnableHTTP2: true, Config: &http.Server{Handler: s}}
		server.StartTLS()
		defer server.Close()
		dir := t.TempDir()
		ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
		require.NoError(t, os.WriteFile(filepath.Join(dir, "ca"), ca, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "token"), []byte(orders.Secret), 0o600))
		store, err := New(Config{URL: server.URL, Namespace: "shop", CAFile: filepath.Join(dir, "ca"),
			TokenFile: filepath.Join(dir, "token")})
		require.NoError(t, err)
		way := store.Driver().(*driver).cfg.Client.Transport.(*http.Transport)
		defer way.CloseIdleConnections()
		var cuts []*atomic.Bool
		way.DialContext = func(context.Context, string, string) (net.Conn, error) {
			here, there := net.Pipe()
			n.conns <- there
			cuts = append(cuts, new(atomic.Bool))
			return wire{here, cuts[len(cuts)-1]}, nil
		}
		draw := func() error { return store.Segments().Change(t.Context(), "orders", orders.Draw(1)) }
		require.NoError(t, draw())
		cuts[0].Store(true)
		err = draw()
		require.ErrorIs(t, err, context.DeadlineExceeded)
		orders.Fails(t, err, true)
		for range 3 {
			if err = draw(); err == nil {
				break
			}
			orders.Fails(t, err, true)
		}
		require.NoError(t, err)
		require.NoError(t, draw())
		require.Len(t, cuts, 2)
	})
}
