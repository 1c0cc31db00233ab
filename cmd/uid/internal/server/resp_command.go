package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/uidgen/uid"
)

// A respCommand answers a command by that name with so many arguments. Its error becomes the answer.
type respCommand struct {
	least, most int
	answer      func(c *conn, args [][]byte) error
}

// A respError is a text of Redis' own.
type respError string

func (e respError) Error() string { return string(e) }

var respCommands = map[string]respCommand{
	"INCR":    {1, 1, func(c *conn, args [][]byte) error { return c.incr(args[0], 1) }},
	"INCRBY":  {2, 2, (*conn).incrBy},
	"UIDS":    {1, 1, (*conn).uids},
	"PING":    {0, 1, (*conn).ping},
	"ECHO":    {1, 1, (*conn).ping},
	"AUTH":    {1, 2, (*conn).auth},
	"HELLO":   {0, maxArgs, (*conn).hello},
	"QUIT":    {0, maxArgs, func(c *conn, _ [][]byte) error { c.quit = true; return c.simple("OK") }},
	"SELECT":  {1, 1, (*conn).selectDB},
	"CLIENT":  {1, maxArgs, (*conn).client},
	"COMMAND": {0, maxArgs, (*conn).describe},
	"INFO":    {0, maxArgs, (*conn).info},
}

// command answers a command, which has at least one argument.
func (c *conn) command(args [][]byte) {
	name := args[0]
	for i, b := range name {
		if 'a' <= b && b <= 'z' {
			name[i] = b - 'a' + 'A'
		}
	}
	if string(name) != c.name { // a pipeline has one again and again
		c.name = string(name)
		c.known = respCommands[c.name]
	}
	n := len(args) - 1
	var err error
	switch {
	case !c.allowed && string(name) != "AUTH" && string(name) != "HELLO" && string(name) != "QUIT":
		err = respError("NOAUTH Authentication required.")
	case c.known.answer == nil:
		err = fmt.Errorf("ERR unknown command %s: this server takes INCR, INCRBY and UIDS, and is no Redis",
			shown(string(name)))
	case n < c.known.least || n > c.known.most:
		err = fmt.Errorf("ERR wrong number of arguments for '%s' command", bytes.ToLower(name))
	default:
		err = c.known.answer(c, args[1:])
	}
	if err != nil {
		c.fail(err.Error())
	}
}

// incr answers with the next number of a key: a UID, or a tag's.
func (c *conn) incr(key []byte, n int) error {
	s := c.server
	ctx := context.Background() // the draw has a limit of its own
	var u uid.UID
	var err error
	count := &c.newNumbers
	switch {
	case string(key) == s.cfg.UIDKey:
		count = &c.newUIDs
		u, err = s.uid(ctx)
	case n == 1:
		u, err = s.number(ctx, string(key))
	default:
		ctx, cancel := context.WithTimeout(ctx, s.cfg.RequestTimeout)
		defer cancel()
		u, err = s.cfg.Segments.Range(ctx, string(key), n)
	}
	if err != nil {
		return errors.New("ERR " + reason(err))
	}
	*count += n
	return c.integer(int64(u))
}

// incrBy answers with the last of n numbers in a row. UIDs are not in a row: between two of one tick may
// be another client's, and the next tick's are far away.
func (c *conn) incrBy(args [][]byte) error {
	n, err := batch(string(args[1]))
	switch {
	case err != nil:
		return fmt.Errorf("ERR the increment is %.40q, want 1 to %d", args[1], MaxBatch)
	case n > 1 && string(args[0]) == c.server.cfg.UIDKey:
		return fmt.Errorf("ERR UIDs are no %d numbers in a row: "+
			"UIDS %[1]d returns as many, and so does INCR that often in a pipeline", n)
	}
	return c.incr(args[0], n)
}

// uids answers with UIDs, as strings: JavaScript would lose bits of integers.
func (c *conn) uids(args [][]byte) error {
	n, err := batch(string(args[0]))
	if err != nil {
		return fmt.Errorf("ERR %w", err)
	}
	all := batches.Get().(*[MaxBatch]uid.UID)
	defer batches.Put(all)
	if err := c.server.fill(context.Background(), all[:n]); err != nil {
		return errors.New("ERR " + reason(err))
	}
	c.newUIDs += n
	_ = c.array(n)
	for _, u := range all[:n] {
		_ = c.bulkString(strconv.AppendInt(nil, int64(u), 10))
	}
	return nil
}

// ping answers with what the client says.
func (c *conn) ping(args [][]byte) error {
	if len(args) == 0 {
		return c.simple("PONG")
	}
	return c.bulkString(args[0])
}

// auth lets the connection draw, if what it shows last is the token.
func (c *conn) auth(args [][]byte) error {
	if err := c.authenticate(args[len(args)-1]); err != nil {
		return err
	}
	return c.simple("OK")
}

// authenticate checks a token.
func (c *conn) authenticate(token []byte) error {
	want := c.server.cfg.Token
	switch {
	case want == nil:
		return respError("ERR AUTH <password> called without any password configured for the default user. " +
			"Are you sure your configuration is correct?")
	case !want.Is(string(token)):
		c.allowed = false
		c.guesses++
		c.quit = c.guesses >= maxGuesses
		return respError("WRONGPASS invalid username-password pair or user is disabled.")
	default:
		admit(c.Conn)
		c.allowed = true
		return nil
	}
}

// hello answers clients that ask for a version of the protocol. This one has the second only, to which
// they then keep.
func (c *conn) hello(args [][]byte) error {
	if len(args) > 0 {
		if string(args[0]) != "2" {
			return errors.New("NOPROTO unsupported protocol version")
		}
		args = args[1:]
	}
	for len(args) > 0 {
		switch option := strings.ToUpper(string(args[0])); {
		case option == "AUTH" && len(args) >= 3:
			if err := c.authenticate(args[2]); err != nil {
				return err
			}
			args = args[3:]
		case option == "SETNAME" && len(args) >= 2:
			args = args[2:]
		default:
			return errors.New("ERR Syntax error in HELLO")
		}
	}
	if !c.allowed {
		return respError("NOAUTH HELLO must be called with the client already authenticated, " +
			"otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client " +
			"and select the RESP protocol version at the same time")
	}
	all := []any{"server", "uid", "version", c.server.cfg.Version, "proto", 2, "id", 1, "mode", "standalone", "role",
		"master", "modules"}
	_ = c.array(len(all) + 1)
	for _, v := range all {
		if n, is := v.(int); is {
			_ = c.integer(int64(n))
		} else {
			_ = c.bulkString([]byte(v.(string)))
		}
	}
	return c.array(0)
}

// selectDB answers clients that choose a database: there is one.
func (c *conn) selectDB(args [][]byte) error {
	if string(args[0]) != "0" {
		return errors.New("ERR DB index is out of range")
	}
	return c.simple("OK")
}

// client answers what client libraries say of themselves.
func (c *conn) client(args [][]byte) error {
	switch sub := strings.ToUpper(string(args[0])); sub {
	case "SETNAME", "SETINFO":
		return c.simple("OK")
	case "ID":
		return c.integer(1)
	default:
		return errors.New("ERR unknown subcommand of CLIENT: " + shown(sub))
	}
}

// describe answers COMMAND: nothing is described.
func (c *conn) describe(args [][]byte) error {
	if len(args) > 0 && bytes.EqualFold(args[0], []byte("COUNT")) {
		return c.integer(0)
	}
	return c.array(0)
}

// info tells clients that wait for it that the server has loaded what it needs.
func (c *conn) info([][]byte) error {
	return c.bulkString([]byte("# Server\r\nredis_mode:standalone\r\nuid_version:" + c.server.cfg.Version +
		"\r\n# Persistence\r\nloading:0\r\n"))
}

// The replies. Their error is always nil: one of the connection comes again at the next read.

func (c *conn) simple(text string) error {
	_, _ = c.out.WriteString("+" + text + "\r\n")
	return nil
}

// fail answers with an error, in one line.
func (c *conn) fail(text string) {
	c.errors++
	c.server.metrics.failed.Inc()
	_, _ = c.out.WriteString("-" + strings.NewReplacer("\r", " ", "\n", "; ").Replace(text) + "\r\n")
}

func (c *conn) integer(n int64) error  { return c.number(':', n) }
func (c *conn) array(length int) error { return c.number('*', int64(length)) }

func (c *conn) bulkString(text []byte) error {
	_ = c.number('$', int64(len(text)))
	_, _ = c.out.Write(text)
	_, _ = c.out.WriteString("\r\n")
	return nil
}

func (c *conn) number(kind byte, n int64) error {
	b := strconv.AppendInt(append(c.out.AvailableBuffer(), kind), n, 10)
	_, _ = c.out.Write(append(b, "\r\n"...))
	return nil
}

// shown is a word of a stranger's if it is safe to repeat.
func shown(word string) string {
	other := func(r rune) bool { return (r < 'A' || r > 'Z') && (r < '0' || r > '9') }
	if len(word) > 20 || strings.ContainsFunc(word, other) {
		return "of " + strconv.Itoa(len(word)) + " bytes"
	}
	return word
}
