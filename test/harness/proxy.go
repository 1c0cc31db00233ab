package harness

import (
	"bytes"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"
)

// A Proxy stands between a test and a server. It passes connections on to its target, and breaks them as networks and
// servers do. Make it with [Listen]. All methods may be called by any number of goroutines at once.
type Proxy struct {
	listener net.Listener
	serving  sync.WaitGroup

	mu        sync.Mutex
	target    string
	refusing  bool
	mute      bool
	delay     time.Duration
	undelayed chan struct{} // closed when delay changes
	look      []byte        // the text to look for in statements; nil for none
	then      fault         // the fault when it is found
	swallowed int
	conns     map[*conn]struct{}
}

// Listen returns a proxy on addr (host:port; port 0 chooses one) that passes connections
// on to target. The server need not be up yet.
func Listen(addr, target string) (*Proxy, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("harness: %w", err)
	}
	p := &Proxy{listener: l, target: target, undelayed: make(chan struct{}), conns: map[*conn]struct{}{}}
	p.serving.Go(p.accept)
	return p, nil
}

// NewProxy is Listen for a test, with which the proxy ends.
func NewProxy(t testing.TB, target string) *Proxy {
	t.Helper()
	p, err := Listen("127.0.0.1:0", target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// Addr returns the address for clients to dial.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Close stops listening, cuts all connections, and waits until all have ended.
func (p *Proxy) Close() {
	p.listener.Close()
	p.Refuse(true)
	p.serving.Wait()
}

// Cut breaks all connections. New ones are served.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut()
}

// Refuse breaks all connections, and new ones as they come, until it is called with false.
func (p *Proxy) Refuse(refuse bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refusing = refuse
	if refuse {
		p.cut()
	}
}

// Mute swallows whatever servers send from now on, as a network that is broken one way: servers
// get the requests, and no connection ends, new ones neither. With false it breaks the
// connections that have lost something.
func (p *Proxy) Mute(mute bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mute = mute
	for c := range p.conns {
		if c.mangled && !mute {
			c.cut()
		}
	}
}

// Retarget breaks all connections and passes new ones to another server.
func (p *Proxy) Retarget(target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = target
	p.cut()
}

// Delay holds back for d whatever servers send from now on. It sends at once what is
// already held back.
func (p *Proxy) Delay(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
	close(p.undelayed)
	p.undelayed = make(chan struct{})
}

// A fault is what happens to a statement.
type fault int

const (
	none         fault = iota
	swallowReply       // and cut the connection
	swallowRequest
	stall // hold the connection from the reply on
)

// SwallowReply drops the reply to the next statement that contains text, and cuts the
// connection: the server has carried the statement out, and the client does not know. A
// prepared statement shows its text only when it is prepared, so that reply is dropped.
// Connections with TLS hide their text.
func (p *Proxy) SwallowReply(text string) { p.lookFor(text, swallowReply) }

// SwallowRequest drops the next statement that contains text, and cuts the connection.
// The client cannot tell this from SwallowReply, but the server never sees the statement.
func (p *Proxy) SwallowRequest(text string) { p.lookFor(text, swallowRequest) }

// Stall halts the connection of the next statement that contains text, from the reply
// on, as if the client were paused or the network gone: the server waits for the client,
// and the client for the reply. Cut ends it.
func (p *Proxy) Stall(text string) { p.lookFor(text, stall) }

func (p *Proxy) lookFor(text string, then fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.look, p.then = []byte(text), then
}

// Swallowed returns how many statements and replies were swallowed or stalled.
func (p *Proxy) Swallowed() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.swallowed
}

func (p *Proxy) cut() {
	for c := range p.conns {
		c.cut()
	}
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.serving.Go(func() { p.serve(client.(*net.TCPConn)) })
	}
}

// A conn is a client's connection, with its connection to the server.
type conn struct {
	client, server *net.TCPConn
	over           chan struct{} // closed when the connection is
	once           sync.Once
	// Guarded by Proxy.mu:
	fault   fault // of the next reply
	mangled bool  // something that the server sent was swallowed
}

// cut ends the connection as a broken network would: data on the way is lost.
func (c *conn) cut() {
	c.once.Do(func() {
		_ = c.client.SetLinger(0)
		_ = c.server.SetLinger(0)
		c.close()
	})
}

// end ends the connection in order, after one side has closed it.
func (c *conn) end() { c.once.Do(c.close) }

func (c *conn) close() {
	close(c.over)
	c.client.Close()
	c.server.Close()
}

func (p *Proxy) serve(client *net.TCPConn) {
	p.mu.Lock()
	target, refusing := p.target, p.refusing
	p.mu.Unlock()
	var server net.Conn
	var err error
	if !refusing {
		server, err = net.Dial("tcp", target)
	}
	if refusing || err != nil {
		_ = client.SetLinger(0)
		client.Close()
		return
	}
	c := &conn{client: client, server: server.(*net.TCPConn), over: make(chan struct{})}
	p.mu.Lock()
	if p.refusing || p.target != target {
		c.cut() // as older connections were
	}
	p.conns[c] = struct{}{}
	p.mu.Unlock()

	p.serving.Go(func() {
		p.requests(c)
		c.end()
	})
	p.replies(c)
	c.end()
	p.mu.Lock()
	delete(p.conns, c)
	p.mu.Unlock()
}

func (p *Proxy) requests(c *conn) {
	buf := make([]byte, 1<<16)
	for {
		n, err := c.client.Read(buf)
		if n > 0 {
			if p.judge(c, buf[:n]) == swallowRequest {
				c.cut()
				return
			}
			if _, err := c.server.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			p.mu.Lock()
			stalled := c.fault == stall
			p.mu.Unlock()
			if stalled {
				<-c.over // hide it from the server
			}
			return
		}
	}
}

// judge returns the fault for what the client sent. It relies on drivers that send a
// statement in one piece.
func (p *Proxy) judge(c *conn, text []byte) fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.look == nil || !bytes.Contains(text, p.look) {
		return none
	}
	p.look = nil
	if p.then == swallowRequest {
		p.swallowed++
	} else {
		c.fault = p.then
	}
	return p.then
}

func (p *Proxy) replies(c *conn) {
	buf := make([]byte, 1<<16)
	for {
		n, err := c.server.Read(buf)
		if n > 0 {
			p.mu.Lock()
			fault, delay, undelayed := c.fault, p.delay, p.undelayed
			if fault != none {
				p.swallowed++
			}
			// What follows a gap is never passed on.
			c.mangled = c.mangled || p.mute
			mangled := c.mangled
			p.mu.Unlock()
			if mangled {
				continue
			}
			switch fault {
			case swallowReply:
				c.cut()
				return
			case stall:
				<-c.over
				return
			}
			if delay > 0 && !c.wait(delay, undelayed) {
				return
			}
			if _, err := c.client.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// wait reports whether the connection is still up afterwards.
func (c *conn) wait(d time.Duration, undelayed <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-c.over:
		return false
	case <-undelayed:
	case <-timer.C:
	}
	return true
}
