package server

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"strconv"
	"time"
)

// A conn is a connection of the Redis protocol. One goroutine has all of it, but for the deadline.
type conn struct {
	net.Conn
	server *Server
	in     *bufio.Reader
	out    *bufio.Writer

	args  [][]byte // of the newest command, and the bytes that they share
	text  []byte
	name  string // of the newest command, and what it stands for
	known respCommand

	readBy, writeBy deadline

	reading bool      // a command has begun
	began   time.Time // when the rest of it was first waited for; zero if it was not
	allowed bool      // it has shown the token, or need not
	guesses int       // how often it has shown a wrong one
	quit    bool      // it is to be closed

	commands, errors uint64

	// What is not in the metrics yet. All goroutines share those, which is slow; so they get at once what the answers
	// that leave together have.
	newCommands, newUIDs, newNumbers int
}

const respBuffer = 16 << 10

func (s *Server) serveRESP(l net.Listener) error {
	l = s.limit(l, overRESP)
	if s.cfg.TLS != nil {
		l = tls.NewListener(l, s.cfg.TLS)
	}
	defer l.Close()
	s.mu.Lock()
	s.listener = l
	s.mu.Unlock()
	if s.stopping() { // Drain came first
		return nil
	}
	for pause := time.Duration(0); ; {
		c, err := l.Accept()
		switch {
		case err == nil:
			pause = 0
			if !s.begin(func() { s.serveConn(c) }) {
				_ = c.Close()
				return nil
			}
		case s.stopping():
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		default:
			// The process is out of files, say: net/http waits likewise.
			pause = min(max(2*pause, 5*time.Millisecond), time.Second)
			s.cfg.Logger.Warn("uid: a connection cannot be accepted", "err", err, "pause", pause)
			time.Sleep(pause)
		}
	}
}

// begin runs f, unless connections are to end.
func (s *Server) begin(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping() {
		return false
	}
	s.ended.Go(f)
	return true
}

// serveConn answers a connection's commands until its end.
func (s *Server) serveConn(nc net.Conn) {
	began := time.Now()
	c := &conn{Conn: nc, server: s, allowed: s.cfg.Token == nil}
	c.in, c.out = bufio.NewReaderSize(c, respBuffer), bufio.NewWriterSize(c, respBuffer)
	s.mu.Lock()
	s.conns[c] = struct{}{}
	s.mu.Unlock()
	defer func() {
		if p := recover(); p != nil {
			s.cfg.Logger.Error("uid: a command panicked", "panic", p, "stack", string(debug.Stack()))
		}
		_ = nc.Close()
		s.mu.Lock()
		delete(s.conns, c)
		s.mu.Unlock()
		s.logConn(c, time.Since(began))
	}()
	for !c.quit {
		args, err := c.read()
		if protocol, is := errors.AsType[protocolError](err); is {
			c.fail("ERR Protocol error: " + protocol.Error())
		}
		if err != nil {
			break
		}
		c.reading, c.began = false, time.Time{}
		if len(args) > 0 {
			c.newCommands++
			c.command(args)
		}
	}
	_ = c.out.Flush()
}

// count adds to the metrics what is not there yet.
func (c *conn) count() {
	m := &c.server.metrics
	m.commands.Add(float64(c.newCommands))
	m.uids[overRESP].Add(float64(c.newUIDs))
	m.numbers[overRESP].Add(float64(c.newNumbers))
	c.commands += uint64(c.newCommands)
	c.newCommands, c.newUIDs, c.newNumbers = 0, 0, 0
}

// Read reads from the connection once all is used up that was read before. Answers leave first: the
// client may wait for them.
func (c *conn) Read(b []byte) (int, error) {
	if err := c.out.Flush(); err != nil {
		return 0, err
	}
	now := time.Now()
	until := now.Add(idleTime)
	if c.reading {
		if c.began.IsZero() {
			c.began = now
		}
		until = c.began.Add(readTime)
	}
	if err := c.readBy.move(until, c.SetReadDeadline); err != nil {
		return 0, err
	}
	// After the deadline is set, which Drain moves.
	if c.server.stopping() {
		return 0, io.EOF
	}
	return c.Conn.Read(b)
}

// A deadline is when reads or writes of a connection end. To set it costs much of what an answer does: it ends up to a
// second too early instead.
type deadline struct{ time.Time }

func (d *deadline) move(until time.Time, set func(time.Time) error) error {
	if later := until.Sub(d.Time); later >= 0 && later < time.Second {
		return nil
	}
	d.Time = until
	return set(until)
}

// Write writes to the connection within the limit.
func (c *conn) Write(b []byte) (int, error) {
	c.count()
	if err := c.writeBy.move(time.Now().Add(writeTime), c.SetWriteDeadline); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(b)
	if err != nil {
		c.quit = true // nothing more is drawn for a client that does not read
	}
	return n, err
}

// drainRESP has each connection end after the commands that the server has read.
func (s *Server) drainRESP(ctx context.Context) error {
	s.mu.Lock()
	s.stop.Store(true)
	if s.listener != nil {
		_ = s.listener.Close()
	}
	for c := range s.conns {
		_ = c.SetReadDeadline(time.Unix(1, 0))
	}
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		s.ended.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close()
	}
	return ctx.Err()
}

func (s *Server) stopping() bool { return s.stop.Load() }

// A protocolError is what a client is told before its connection is closed.
type protocolError string

func (e protocolError) Error() string { return string(e) }

func malformed(format string, args ...any) error { return protocolError(fmt.Sprintf(format, args...)) }

// read reads a command: an array of strings, or a line of words as a person types it. It takes up no more
// than maxArgs times maxArg, whatever the client announces. The arguments are valid until the next read: clients wait
// while garbage is collected. A line without words is no command. It returns a protocolError when what came is no
// command.
func (c *conn) read() (args [][]byte, err error) {
	line, err := c.line()
	switch {
	case err != nil:
		return nil, err
	case len(line) == 0:
		return nil, nil
	case line[0] != '*':
		return c.words(line)
	}
	n, err := length(line[1:], maxArgs, "arguments")
	if err != nil {
		return nil, err
	}
	c.args, c.text = c.args[:0], c.text[:0]
	for range n {
		arg, err := c.bulk()
		if err != nil {
			return nil, err
		}
		c.args = append(c.args, arg)
	}
	return c.args, nil
}

// words splits a line. The words of a request by HTTP are refused: a web page may have made it.
func (c *conn) words(line []byte) ([][]byte, error) {
	args := bytes.Fields(bytes.Clone(line))
	if len(args) > maxArgs {
		return nil, malformed("%d arguments, want %d at most", len(args), maxArgs)
	}
	if len(args) > 0 {
		switch first := string(bytes.ToUpper(args[0])); first {
		case "HOST:", "POST", "GET", "PUT", "HEAD", "OPTIONS", "DELETE", "PATCH", "CONNECT":
			if first != "GET" || len(args) > 2 {
				return nil, malformed("this is no HTTP")
			}
		}
	}
	return args, nil
}

// bulk reads a string with its length.
func (c *conn) bulk() ([]byte, error) {
	line, err := c.line()
	if err != nil {
		return nil, err
	}
	if len(line) == 0 || line[0] != '$' {
		return nil, malformed("an argument does not begin with $ and its length")
	}
	n, err := length(line[1:], maxArg, "bytes")
	if err != nil {
		return nil, err
	}
	b, err := c.in.Peek(n + 2)
	if err != nil {
		return nil, err
	}
	if b[n] != '\r' || b[n+1] != '\n' {
		return nil, malformed("an argument is not as long as it says")
	}
	begin := len(c.text)
	c.text = append(c.text, b[:n]...)
	_, _ = c.in.Discard(n + 2)
	return c.text[begin:len(c.text):len(c.text)], nil
}

// length reads a length of 0 to most.
func length(text []byte, most uint64, what string) (int, error) {
	if len(text) == 1 && '0' <= text[0] && text[0] <= '9' { // as most are, and no limit is below
		return int(text[0] - '0'), nil
	}
	n, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil || n > most || text[0] == '+' {
		return 0, malformed("%.24q %s, want 0 to %d", text, what, most)
	}
	return int(n), nil
}

// line reads up to the end of a line, which it leaves out. It is valid until the next read.
func (c *conn) line() ([]byte, error) {
	if c.in.Buffered() == 0 {
		// Waiting for the first byte of a command is idleness; from then on the command is being read.
		if _, err := c.in.Peek(1); err != nil {
			return nil, err
		}
	}
	c.reading = true
	line, err := c.in.ReadSlice('\n')
	switch {
	case err != nil && len(line) > maxArg, err == nil && len(line) > maxArg+2:
		return nil, malformed("a line has more than %d bytes", maxArg)
	case err != nil:
		return nil, err
	}
	return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
}
