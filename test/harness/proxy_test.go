package harness

import (
	"bufio"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An echo answers each line with its name and the line, and keeps what it got.
type echo struct {
	addr string

	mu    sync.Mutex
	lines []string
	open  int // connections
}

func newEcho(t *testing.T, name string) *echo {
	t.Helper()
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	t.Cleanup(func() { l.Close() })
	e := &echo{addr: l.Addr().String()}
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			e.note("", 1)
			go func() {
				for in := bufio.NewScanner(c); in.Scan(); {
					e.note(in.Text(), 0)
					_, _ = c.Write([]byte(name + " " + in.Text() + "\n"))
				}
				c.Close()
				e.note("", -1)
			}()
		}
	}()
	return e
}

func (e *echo) note(line string, opened int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open += opened
	if line != "" {
		e.lines = append(e.lines, line)
	}
}

// saw returns what it got, and how many connections it has.
func (e *echo) saw() (lines string, open int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.lines, " "), e.open
}

// A client asks line by line, on a connection that may be broken already.
type client struct{ net.Conn }

func dial(t *testing.T, p *Proxy) client {
	t.Helper()
	c, err := net.Dial("tcp", p.Addr())
	if err != nil {
		c, _ = net.Pipe()
		c.Close()
	}
	t.Cleanup(func() { c.Close() })
	return client{c}
}

// ask returns the answer, or "" when the connection is broken.
func (c client) ask(line string) string {
	_, _ = c.Write([]byte(line + "\n"))
	answer, _ := bufio.NewReader(c).ReadString('\n')
	return strings.TrimSpace(answer)
}

// Each fault does to a COMMIT on a connection from before, and to one that is made later, what it says.
func TestFaults(t *testing.T) {
	two := newEcho(t, "two")
	swallowed := func(p *Proxy) bool { return p.Swallowed() == 1 }
	mangled := func(p *Proxy) (is bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		for c := range p.conns {
			is = is || c.mangled
		}
		return is
	}
	mute := func(on bool) func(*Proxy) { return func(p *Proxy) { p.Mute(on) } }
	delay := func(d time.Duration) func(*Proxy) { return func(p *Proxy) { p.Delay(d) } }
	for name, c := range map[string]struct {
		fault  func(p *Proxy)
		held   func(p *Proxy) bool // tells that the reply is held back, until
		until  func(p *Proxy)
		answer string
		got    string // by the server
		later  string // the answer on another connection
	}{
		"none":            {fault: func(*Proxy) {}, answer: "one COMMIT", got: "begin COMMIT", later: "one x"},
		"cut":             {fault: (*Proxy).Cut, got: "begin", later: "one x"},
		"refuse":          {fault: func(p *Proxy) { p.Refuse(true) }, got: "begin"},
		"refuse no more":  {fault: func(p *Proxy) { p.Refuse(true); p.Refuse(false) }, got: "begin", later: "one x"},
		"retarget":        {fault: func(p *Proxy) { p.Retarget(two.addr) }, got: "begin", later: "two x"},
		"no server":       {fault: func(p *Proxy) { p.Retarget("127.0.0.1:1") }, got: "begin"},
		"closed":          {fault: (*Proxy).Close, got: "begin"},
		"swallow reply":   {fault: func(p *Proxy) { p.SwallowReply("COMMIT") }, got: "begin COMMIT", later: "one x"},
		"swallow request": {fault: func(p *Proxy) { p.SwallowRequest("COMMIT") }, got: "begin", later: "one x"},
		"swallow another": {fault: func(p *Proxy) { p.SwallowReply("ROLLBACK") },
			answer: "one COMMIT", got: "begin COMMIT", later: "one x"},
		"stall":          {func(p *Proxy) { p.Stall("COMMIT") }, swallowed, (*Proxy).Cut, "", "begin COMMIT", "one x"},
		"mute":           {mute(true), mangled, mute(false), "", "begin COMMIT", "one x"},
		"delay":          {delay(time.Hour), nil, delay(0), "one COMMIT", "begin COMMIT", "one x"},
		"delay, and cut": {delay(time.Hour), nil, func(p *Proxy) { p.Cut(); p.Delay(0) }, "", "begin COMMIT", "one x"},
	} {
		t.Run(name, func(t *testing.T) {
			one := newEcho(t, "one")
			p := NewProxy(t, one.addr)
			a := dial(t, p)
			require.Equal(t, "one begin", a.ask("begin"))
			c.fault(p)
			answer := make(chan string, 1)
			go func() { answer <- a.ask("COMMIT") }()
			if c.until != nil {
				require.Eventually(t, func() bool {
					got, _ := one.saw()
					return got == c.got && (c.held == nil || c.held(p))
				}, time.Minute, time.Millisecond)
				require.Empty(t, answer)
				c.until(p)
			}
			require.Equal(t, c.answer, <-answer)
			got, _ := one.saw()
			require.Equal(t, c.got, got)
			require.Equal(t, strings.HasPrefix(name, "swallow r") || name == "stall", swallowed(p))
			require.Equal(t, c.later, dial(t, p).ask("x"))
		})
	}
}

// A connection that stands still does so though its client goes away: a server may hold locks for it.
func TestStallHidesTheEnd(t *testing.T) {
	one := newEcho(t, "one")
	p := NewProxy(t, one.addr)
	a := dial(t, p)
	p.Stall("COMMIT")
	_, err := a.Write([]byte("COMMIT\n"))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return p.Swallowed() == 1 }, time.Minute, time.Millisecond)
	require.NoError(t, a.Close())
	require.Equal(t, "one x", dial(t, p).ask("x"))
	require.Eventually(t, func() bool { _, open := one.saw(); return open >= 1 }, time.Minute, time.Millisecond)
	p.Cut()
	require.Eventually(t, func() bool { _, open := one.saw(); return open == 0 }, time.Minute, time.Millisecond)
}
