package worker_test

import (
	"bytes"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A proxy hands a server's connections through, and loses replies as told.
type proxy struct {
	target string
	addr   string

	mu   sync.Mutex
	lose []byte // the reply to what contains this is lost, and the connection with it; nil once done
	lost int
}

// newProxy listens on addr, which may have port 0.
func newProxy(t testing.TB, addr, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	require.NoError(t, err)
	p := &proxy{target: target, addr: l.Addr().String()}
	var conns sync.WaitGroup
	t.Cleanup(func() {
		l.Close()
		conns.Wait()
	})
	conns.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			conns.Go(func() { p.serve(client) })
		}
	})
	return p
}

// loseReplyTo has the next reply to a statement with this text lost: the server has
// carried it out, and the client does not know.
func (p *proxy) loseReplyTo(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lose = []byte(text)
}

func (p *proxy) losses() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lost
}

func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer server.Close()
	losing := make(chan struct{})
	go func() {
		defer server.Close()
		buf := make([]byte, 1<<16)
		for {
			n, err := client.Read(buf)
			p.mu.Lock()
			if p.lose != nil && bytes.Contains(buf[:n], p.lose) {
				p.lose = nil
				p.lost++
				close(losing)
			}
			p.mu.Unlock()
			if _, werr := server.Write(buf[:n]); err != nil || werr != nil {
				return
			}
		}
	}()
	buf := make([]byte, 1<<16)
	for {
		n, err := server.Read(buf)
		select {
		case <-losing:
			return
		default:
		}
		if _, werr := client.Write(buf[:n]); err != nil || werr != nil {
			return
		}
	}
}
