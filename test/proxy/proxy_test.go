package proxy

import (
	"bufio"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// An echo answers each line with its name and the line, and keeps what it got.
type echo struct {
	name string
	addr string

	mu    sync.Mutex
	lines []string
	open  int // connections
}

func newEcho(t *testing.T, name string) *echo {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	e := &echo{name: name, addr: l.Addr().String()}
	var conns sync.WaitGroup
	t.Cleanup(func() {
		l.Close()
		conns.Wait()
	})
	conns.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			e.count(1)
			conns.Go(func() {
				defer e.count(-1)
				defer c.Close()
				for in := bufio.NewScanner(c); in.Scan(); {
					e.mu.Lock()
					e.lines = append(e.lines, in.Text())
					e.mu.Unlock()
					if in.Text() == "quit" {
						_, _ = c.Write([]byte("bye\n"))
						return
					}
					_, _ = c.Write([]byte(name + " " + in.Text() + "\n"))
				}
			})
		}
	})
	return e
}

func (e *echo) count(by int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open += by
}

func (e *echo) clients() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.open
}

func (e *echo) got() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.lines, " ")
}

func newProxy(t *testing.T, target string) *Proxy {
	t.Helper()
	p, err := Listen("127.0.0.1:0", target)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

// A client asks line by line.
type client struct {
	net.Conn
	in *bufio.Reader
}

// dial returns a client, whose connection may be broken already.
func dial(t *testing.T, p *Proxy) *client {
	t.Helper()
	c, err := net.Dial("tcp", p.Addr())
	if err != nil {
		c, _ = net.Pipe()
		c.Close()
	}
	t.Cleanup(func() { c.Close() })
	return &client{c, bufio.NewReader(c)}
}

// ask returns the answer, or "" when the connection is broken.
func (c *client) ask(line string) string {
	if _, err := c.Write([]byte(line + "\n")); err != nil {
		return ""
	}
	answer, err := c.in.ReadString('\n')
	if err != nil {
		return ""
	}
	return strings.TrimSpace(answer)
}

func TestPass(t *testing.T) {
	p := newProxy(t, newEcho(t, "one").addr)
	a, b := dial(t, p), dial(t, p)
	for range 3 {
		require.Equal(t, "one a", a.ask("a"))
		require.Equal(t, "one b", b.ask("b"))
	}
	require.Equal(t, "bye", a.ask("quit"), "what a server says last arrives")
	require.Empty(t, a.ask("a"))
	require.Equal(t, "one b", b.ask("b"))
}

func TestCut(t *testing.T) {
	p := newProxy(t, newEcho(t, "one").addr)
	a := dial(t, p)
	require.Equal(t, "one a", a.ask("a"))
	p.Cut()
	require.Empty(t, a.ask("a"))
	require.Equal(t, "one a", dial(t, p).ask("a"))
}

func TestRefuse(t *testing.T) {
	p := newProxy(t, newEcho(t, "one").addr)
	a := dial(t, p)
	require.Equal(t, "one a", a.ask("a"))
	p.Refuse(true)
	require.Empty(t, a.ask("a"))
	require.Empty(t, dial(t, p).ask("a"))
	p.Refuse(false)
	require.Equal(t, "one a", dial(t, p).ask("a"))
}

func TestRetarget(t *testing.T) {
	one, two := newEcho(t, "one"), newEcho(t, "two")
	p := newProxy(t, one.addr)
	a := dial(t, p)
	require.Equal(t, "one a", a.ask("a"))
	p.Retarget(two.addr)
	require.Empty(t, a.ask("a"))
	require.Equal(t, "two b", dial(t, p).ask("b"))
	require.Equal(t, "a", one.got())
}

func TestNoServer(t *testing.T) {
	p := newProxy(t, "127.0.0.1:1")
	require.Empty(t, dial(t, p).ask("a"))
}

func TestSwallowReply(t *testing.T) {
	one := newEcho(t, "one")
	p := newProxy(t, one.addr)
	a, b := dial(t, p), dial(t, p)
	require.Equal(t, "one COMMIT", a.ask("COMMIT"))
	p.SwallowReply("COMMIT")
	require.Equal(t, "one begin", a.ask("begin"), "what was sent before does not count")
	require.Zero(t, p.Swallowed())
	require.Empty(t, a.ask("COMMIT"))
	require.Equal(t, 1, p.Swallowed())
	require.Equal(t, "COMMIT begin COMMIT", one.got(), "the server has it")
	require.Equal(t, "one COMMIT", b.ask("COMMIT"), "one only, and no other connection")
}

func TestSwallowRequest(t *testing.T) {
	one := newEcho(t, "one")
	p := newProxy(t, one.addr)
	a := dial(t, p)
	p.SwallowRequest("COMMIT")
	require.Equal(t, "one begin", a.ask("begin"))
	require.Empty(t, a.ask("COMMIT"))
	require.Equal(t, 1, p.Swallowed())
	require.Equal(t, "begin", one.got(), "the server has not")
	require.Equal(t, "one COMMIT", dial(t, p).ask("COMMIT"))
}

// A connection that stands still does so though its client goes away.
func TestStall(t *testing.T) {
	one := newEcho(t, "one")
	p := newProxy(t, one.addr)
	a, b := dial(t, p), dial(t, p)
	p.Stall("COMMIT")
	require.Equal(t, "one begin", a.ask("begin"))
	_, err := a.Write([]byte("COMMIT\n"))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return p.Swallowed() == 1 }, time.Minute, time.Millisecond)
	require.NoError(t, a.Close())
	require.Equal(t, "one COMMIT", b.ask("COMMIT"))
	require.Equal(t, "begin COMMIT COMMIT", one.got())
	require.Equal(t, 2, one.clients())
	p.Cut()
	require.Eventually(t, func() bool { return one.clients() == 0 }, time.Minute, time.Millisecond)
}

// A reply is held back until the delay is taken away, or for good when the connection
// is cut.
func TestDelay(t *testing.T) {
	one := newEcho(t, "one")
	p := newProxy(t, one.addr)
	p.Delay(time.Hour)
	answers := make(chan string)
	for i, release := range []func(){func() { p.Delay(0) }, p.Cut} {
		p.Delay(time.Hour)
		a := dial(t, p)
		go func() { answers <- a.ask("a") }()
		require.Eventually(t, func() bool { return strings.Count(one.got(), "a") == i+1 }, time.Minute, time.Millisecond)
		select {
		case early := <-answers:
			require.Fail(t, "not delayed", early)
		default:
		}
		release()
		require.Equal(t, []string{"one a", ""}[i], <-answers)
	}
}

// A network that is broken one way: the server gets what is sent, and nobody hears of it. When
// it is whole again, connections with a gap are broken, and others are not.
func TestMute(t *testing.T) {
	one := newEcho(t, "one")
	p := newProxy(t, one.addr)
	a, b := dial(t, p), dial(t, p)
	require.Equal(t, "one b", b.ask("b"))
	p.Mute(true)
	answer := make(chan string)
	go func() { answer <- a.ask("a") }()
	require.Eventually(t, func() bool { return one.got() == "b a" }, time.Minute, time.Millisecond)
	require.Eventually(t, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		n := 0
		for c := range p.conns {
			if c.mangled {
				n++
			}
		}
		return n == 1
	}, time.Minute, time.Millisecond, "the reply is swallowed")
	select {
	case early := <-answer:
		require.Fail(t, "an answer", early)
	default:
	}
	p.Mute(false)
	require.Empty(t, <-answer)
	require.Equal(t, "one b", b.ask("b"))
	require.Equal(t, "one a", dial(t, p).ask("a"))
}

func TestDelayEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &conn{over: make(chan struct{})}
		began := time.Now()
		require.True(t, c.wait(3*time.Second, nil))
		require.Equal(t, 3*time.Second, time.Since(began))
	})
}

func TestClose(t *testing.T) {
	p, err := Listen("127.0.0.1:0", newEcho(t, "one").addr)
	require.NoError(t, err)
	a := dial(t, p)
	require.Equal(t, "one a", a.ask("a"))
	p.Close()
	require.Empty(t, a.ask("a"))
	_, err = net.Dial("tcp", p.Addr())
	require.Error(t, err)
	_, err = Listen("nonsense", "")
	require.Error(t, err)
}
