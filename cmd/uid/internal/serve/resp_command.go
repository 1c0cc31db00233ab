package serve

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/uidgen/uid"
)

// command answers a command, which has at least one argument.
func (c *conn) command(args [][]byte) {
	name := strings.ToUpper(string(args[0]))
	if !c.allowed {
		switch name {
		case "AUTH", "HELLO", "QUIT":
		default:
			c.fail("NOAUTH Authentication required.")
			return
		}
	}
	args = args[1:]
	switch name {
	case "INCR":
		if c.count(name, args, 1, 1) {
			c.incr(args[0], 1)
		}
	case "INCRBY":
		if c.count(name, args, 2, 2) {
			c.incrBy(args[0], args[1])
		}
	case "UIDS":
		if c.count(name, args, 1, 1) {
			c.uids(args[0])
		}
	case "PING":
		if c.count(name, args, 0, 1) {
			c.ping(args)
		}
	case "ECHO":
		if c.count(name, args, 1, 1) {
			c.bulkString(args[0])
		}
	case "AUTH":
		if c.count(name, args, 1, 2) {
			c.auth(args[len(args)-1])
		}
	case "HELLO":
		c.hello(args)
	case "QUIT":
		c.simple("OK")
		c.quit = true
	case "SELECT":
		if c.count(name, args, 1, 1) {
			c.selectDB(args[0])
		}
	case "CLIENT":
		c.client(args)
	case "COMMAND":
		c.describe(args)
	case "INFO":
		c.info()
	default:
		c.fail(fmt.Sprintf("ERR unknown command %s: this server takes INCR, INCRBY and UIDS, and is no Redis", shown(name)))
	}
}

// count refuses a number of arguments that a command does not take.
func (c *conn) count(name string, args [][]byte, least, most int) bool {
	if len(args) >= least && len(args) <= most {
		return true
	}
	c.fail(fmt.Sprintf("ERR wrong number of arguments for '%s' command", strings.ToLower(name)))
	return false
}

// incr answers with the next number of a key: a UID, or a tag's.
func (c *conn) incr(key []byte, n int) {
	s := c.server
	ctx := context.Background() // the draw has a limit of its own
	var u uid.UID
	var err error
	count := s.metrics.numbers[overRESP]
	switch {
	case string(key) == s.cfg.UIDKey:
		count = s.metrics.uids[overRESP]
		u, err = s.uid(ctx)
	case n == 1:
		u, err = s.number(ctx, string(key))
	default:
		ctx, cancel := context.WithTimeout(ctx, s.cfg.Limits.Request)
		defer cancel()
		u, err = s.cfg.Segments.Range(ctx, string(key), n)
	}
	if err != nil {
		c.fail("ERR " + reason(err))
		return
	}
	count.Add(float64(n))
	c.integer(int64(u))
}

// incrBy answers with the last of n numbers in a row. UIDs are not in a row: between two of one tick may
// be another client's, and the next tick's are far away.
func (c *conn) incrBy(key, by []byte) {
	n, err := batch(string(by))
	switch {
	case err != nil:
		c.fail(fmt.Sprintf("ERR the increment is %.40q, want 1 to %d", by, MaxBatch))
	case n > 1 && string(key) == c.server.cfg.UIDKey:
		c.fail(fmt.Sprintf("ERR UIDs are no %d numbers in a row: UIDS %[1]d returns as many, and so does INCR that often in a pipeline", n))
	default:
		c.incr(key, n)
	}
}

// uids answers with UIDs, as strings: JavaScript would lose bits of integers.
func (c *conn) uids(text []byte) {
	n, err := batch(string(text))
	if err != nil {
		c.fail("ERR " + err.Error())
		return
	}
	all := batches.Get().(*[MaxBatch]uid.UID)
	defer batches.Put(all)
	if err := c.server.fill(context.Background(), all[:n]); err != nil {
		c.fail("ERR " + reason(err))
		return
	}
	c.server.metrics.uids[overRESP].Add(float64(n))
	c.array(n)
	for _, u := range all[:n] {
		c.bulkString(strconv.AppendInt(nil, int64(u), 10))
	}
}

func (c *conn) ping(args [][]byte) {
	if len(args) == 0 {
		c.simple("PONG")
		return
	}
	c.bulkString(args[0])
}

// auth lets the connection draw, if what it shows is the token.
func (c *conn) auth(token []byte) {
	if c.authenticate(token) {
		c.simple("OK")
	}
}

// authenticate checks a token, and answers if it is wrong.
func (c *conn) authenticate(token []byte) bool {
	want := c.server.cfg.Token
	switch guest := guestOf(c.Conn); {
	case want == nil:
		c.fail("ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?")
		return false
	case !want.Is(string(token)):
		guest.fails()
		c.allowed = false
		c.guesses++
		c.quit = c.guesses >= maxGuesses
		c.fail("WRONGPASS invalid username-password pair or user is disabled.")
		return false
	case !guest.shows():
		c.quit = true
		c.fail(c.server.manyClients())
		return false
	}
	c.allowed = true
	return true
}

// hello answers clients that ask for a version of the protocol. This one has the second only, to which
// they then keep.
func (c *conn) hello(args [][]byte) {
	if len(args) > 0 {
		if string(args[0]) != "2" {
			c.fail("NOPROTO unsupported protocol version")
			return
		}
		args = args[1:]
	}
	for len(args) > 0 {
		switch option := strings.ToUpper(string(args[0])); {
		case option == "AUTH" && len(args) >= 3:
			if !c.authenticate(args[2]) {
				return
			}
			args = args[3:]
		case option == "SETNAME" && len(args) >= 2:
			args = args[2:]
		default:
			c.fail("ERR Syntax error in HELLO")
			return
		}
	}
	if !c.allowed {
		c.fail("NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time")
		return
	}
	c.array(14)
	for _, pair := range [][2]string{{"server", "uid"}, {"version", c.server.cfg.Version}} {
		c.bulkString([]byte(pair[0]))
		c.bulkString([]byte(pair[1]))
	}
	c.bulkString([]byte("proto"))
	c.integer(2)
	c.bulkString([]byte("id"))
	c.integer(1)
	for _, pair := range [][2]string{{"mode", "standalone"}, {"role", "master"}} {
		c.bulkString([]byte(pair[0]))
		c.bulkString([]byte(pair[1]))
	}
	c.bulkString([]byte("modules"))
	c.array(0)
}

// selectDB answers clients that choose a database: there is one.
func (c *conn) selectDB(text []byte) {
	if string(text) != "0" {
		c.fail("ERR DB index is out of range")
		return
	}
	c.simple("OK")
}

// client answers what client libraries say of themselves.
func (c *conn) client(args [][]byte) {
	if len(args) == 0 {
		c.count("client", nil, 1, 1)
		return
	}
	switch sub := strings.ToUpper(string(args[0])); sub {
	case "SETNAME", "SETINFO":
		c.simple("OK")
	case "ID":
		c.integer(1)
	default:
		c.fail("ERR unknown subcommand of CLIENT: " + shown(sub))
	}
}

// describe answers COMMAND: nothing is described.
func (c *conn) describe(args [][]byte) {
	if len(args) > 0 && bytes.EqualFold(args[0], []byte("COUNT")) {
		c.integer(0)
		return
	}
	c.array(0)
}

// info tells clients that wait for it that the server has loaded what it needs.
func (c *conn) info() {
	c.bulkString([]byte("# Server\r\nredis_mode:standalone\r\nuid_version:" + c.server.cfg.Version + "\r\n# Persistence\r\nloading:0\r\n"))
}

func (c *conn) simple(text string) {
	_, _ = c.out.WriteString("+" + text + "\r\n") // an error comes again at the next read
}

// fail answers with an error, in one line.
func (c *conn) fail(text string) {
	c.errors++
	c.server.metrics.failed.Add(1)
	_, _ = c.out.WriteString("-" + strings.NewReplacer("\r", " ", "\n", "; ").Replace(text) + "\r\n")
}

func (c *conn) integer(n int64)  { c.number(':', n) }
func (c *conn) array(length int) { c.number('*', int64(length)) }

func (c *conn) bulkString(text []byte) {
	c.number('$', int64(len(text)))
	_, _ = c.out.Write(text)
	_, _ = c.out.WriteString("\r\n")
}

func (c *conn) number(kind byte, n int64) {
	b := strconv.AppendInt(append(c.out.AvailableBuffer(), kind), n, 10)
	_, _ = c.out.Write(append(b, "\r\n"...))
}

// shown is a word of a stranger's if it is safe to repeat.
func shown(word string) string {
	if len(word) > 20 || strings.ContainsFunc(word, func(r rune) bool { return (r < 'A' || r > 'Z') && (r < '0' || r > '9') }) {
		return "of " + strconv.Itoa(len(word)) + " bytes"
	}
	return word
}
