package server

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"time"
)

// A protocolError is what a client is told before its connection is closed.
type protocolError string

func (e protocolError) Error() string { return string(e) }

func malformed(format string, args ...any) error { return protocolError(fmt.Sprintf(format, args...)) }

// read reads a command: an array of strings, or a line of words as a person types it. It takes up no more
// than maxArgs times maxArg, whatever the client announces. A line without words is no command. It returns
// a protocolError when what came is no command.
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
	args = make([][]byte, n)
	for i := range args {
		if args[i], err = c.bulk(); err != nil {
			return nil, err
		}
	}
	return args, nil
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
	b := make([]byte, n+2)
	if _, err := io.ReadFull(c.in, b); err != nil {
		return nil, err
	}
	if b[n] != '\r' || b[n+1] != '\n' {
		return nil, malformed("an argument is not as long as it says")
	}
	return b[:n], nil
}

// length reads a length of 0 to most.
func length(text []byte, most uint64, what string) (int, error) {
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
	if c.began.IsZero() {
		c.began = time.Now()
	}
	line, err := c.in.ReadSlice('\n')
	switch {
	case err != nil && len(line) > maxArg, err == nil && len(line) > maxArg+2:
		return nil, malformed("a line has more than %d bytes", maxArg)
	case err != nil:
		return nil, err
	}
	return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
}
