package redis

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/uidgen/uid/stores"
)

//go:embed lua/*.lua
var lua embed.FS

// A script is one in Lua, all of which begin alike.
type script struct{ hash, source string }

var (
	leasesScript  = newScript("leases")
	segmentScript = newScript("segment")
	namesScript   = newScript("names")
	inspectScript = newScript("inspect")
)

func newScript(name string) script {
	beginning, err := lua.ReadFile("lua/server.lua")
	body, err2 := lua.ReadFile("lua/" + name + ".lua")
	if err := errors.Join(err, err2); err != nil {
		panic(err)
	}
	source := string(beginning) + string(body)
	return script{redis.NewScript(source).Hash(), source}
}

// once is a command that go-redis does not repeat when its reply was lost. If it was carried out
// and then replaced by another client's, a second run could not know.
type once struct{ *redis.Cmd }

func (once) NoRetry() bool { return true }

// run runs a script by its digest, or sends it to a server that does not have it. One that writes may return
// "stored" instead of an answer.
func (d *driver) run(ctx context.Context, s script, writes bool, keys []string, args ...any,
) (a *answer, stored bool, err error) {
	send := func(name, body string) (any, error) {
		all := []any{name, body, len(keys)}
		for _, k := range keys {
			all = append(all, k)
		}
		cmd := redis.NewCmd(ctx, append(all, args...)...)
		var whole redis.Cmder = cmd
		if writes {
			whole = once{cmd}
		}
		if err := d.process(ctx, whole); err != nil {
			return nil, err
		}
		return cmd.Result()
	}
	v, err := send("evalsha", s.hash)
	if redis.HasErrorPrefix(err, "NOSCRIPT") {
		v, err = send("eval", s.source)
	}
	if err != nil || writes && v == "stored" {
		return nil, err == nil, failed(err)
	}
	a, err = answerOf(v)
	return a, false, err
}

// process sends a command; see await.
func (d *driver) process(ctx context.Context, cmd redis.Cmder) error {
	return await(ctx, func() error { return d.client.Process(ctx, cmd) })
}

// await returns when do does, or when the context has ended: a client waits for as long as its own
// timeouts say. What do has sent may still be carried out.
func await(ctx context.Context, do func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// An answer is a script's: the clock and the history, and other values. One that is not of the form expected
// makes it bad.
type answer struct {
	clock  stores.Clock
	values []any
	bad    bool
}

func answerOf(v any) (*answer, error) {
	a := &answer{}
	a.values, _ = v.([]any)
	a.clock.History = a.text()
	// The server's is the one clock, and has no error.
	a.clock.Now = time.Unix(a.number(), 0).Add(time.Duration(a.number()) * time.Microsecond).UTC()
	return a, a.err()
}

func (a *answer) err() error {
	if a.bad {
		return errors.New("redis: a script's answer has another form")
	}
	return nil
}

// next returns the next value, as long as there are any.
func (a *answer) next() (v any) {
	if len(a.values) == 0 {
		a.bad = true
		return nil
	}
	v, a.values = a.values[0], a.values[1:]
	return v
}

// text returns a text, or "" for nil.
func (a *answer) text() string {
	v := a.next()
	s, is := v.(string)
	a.bad = a.bad || !is && v != nil
	return s
}

func (a *answer) number() int64 {
	v := a.next()
	if n, is := v.(int64); is {
		return n
	}
	n, err := strconv.ParseInt(fmt.Sprint(v), 10, 64)
	a.bad = a.bad || err != nil
	return n
}

func (a *answer) list() *answer {
	l := &answer{}
	var is bool
	l.values, is = a.next().([]any)
	a.bad = a.bad || !is
	return l
}

// fields reads the output of INFO.
func fields(info string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(info) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			all[name] = value
		}
	}
	return all
}
