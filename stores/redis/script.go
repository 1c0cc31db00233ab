package redis

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/uidgen/uid/worker/lease"
)

//go:embed lua/server.lua
var beginning string

var (
	//go:embed lua/row.lua
	rowLua string
	//go:embed lua/namespace.lua
	namespaceLua string
	//go:embed lua/free.lua
	freeLua string
	//go:embed lua/none.lua
	noneLua string
	//go:embed lua/page.lua
	pageLua string
	//go:embed lua/names.lua
	namesLua string
	//go:embed lua/inspect.lua
	inspectLua string
	//go:embed lua/write.lua
	writeLua string
	//go:embed lua/segment.lua
	segmentLua string
	//go:embed lua/segment_write.lua
	segmentWriteLua string
	//go:embed lua/tags.lua
	tagsLua string

	rowScript       = redis.NewScript(beginning + rowLua)
	namespaceScript = redis.NewScript(beginning + namespaceLua)
	freeScript      = redis.NewScript(beginning + freeLua)
	noneScript      = redis.NewScript(beginning + noneLua)
	pageScript      = redis.NewScript(beginning + pageLua)
	namesScript     = redis.NewScript(beginning + namesLua)
	inspectScript   = redis.NewScript(beginning + inspectLua)
	writeScript     = redis.NewScript(beginning + writeLua)

	segmentScript      = redis.NewScript(beginning + segmentLua)
	segmentWriteScript = redis.NewScript(beginning + segmentWriteLua)
	tagsScript         = redis.NewScript(beginning + tagsLua)

	// go-redis keeps no source that could be asked for.
	sources = map[*redis.Script]string{
		rowScript: beginning + rowLua, namespaceScript: beginning + namespaceLua,
		freeScript: beginning + freeLua, noneScript: beginning + noneLua, pageScript: beginning + pageLua,
		namesScript: beginning + namesLua, inspectScript: beginning + inspectLua, writeScript: beginning + writeLua,
		segmentScript: beginning + segmentLua, segmentWriteScript: beginning + segmentWriteLua, tagsScript: beginning + tagsLua,
	}
)

// once is a command that go-redis does not repeat when its reply was lost. If it was carried out
// and then replaced by another client's, a second run could not know.
type once struct{ *redis.Cmd }

func (once) NoRetry() bool { return true }

// run runs a script by its digest, or sends it to a server that does not have it.
func (s *Store) run(ctx context.Context, doing string, script *redis.Script, keys []string, args ...any) (any, error) {
	send := func(name, body string) (any, error) {
		all := []any{name, body, len(keys)}
		for _, k := range keys {
			all = append(all, k)
		}
		cmd := redis.NewCmd(ctx, append(all, args...)...)
		var whole redis.Cmder = cmd
		if script == writeScript || script == segmentWriteScript {
			whole = once{cmd}
		}
		if err := s.process(ctx, whole); err != nil {
			return nil, err
		}
		return cmd.Result()
	}
	v, err := send("evalsha", script.Hash())
	if redis.HasErrorPrefix(err, "NOSCRIPT") {
		v, err = send("eval", sources[script])
	}
	if err != nil {
		return nil, failed(doing, err)
	}
	return v, nil
}

// process sends a command; see await.
func (s *Store) process(ctx context.Context, cmd redis.Cmder) error {
	return await(ctx, func() error { return s.client.Process(ctx, cmd) })
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

// A state is the part that the answers of all scripts begin with: the server's history and clock.
type state struct {
	history string
	clock   lease.Clock
}

// An answer is a script's, read one value after another. The first that is not of the form
// expected becomes its error.
type answer struct {
	state
	values []any
	err    error
}

// read runs a script that reads.
func (s *Store) read(ctx context.Context, doing string, script *redis.Script, keys []string, args ...any) (*answer, error) {
	v, err := s.run(ctx, doing, script, keys, args...)
	if err != nil {
		return nil, err
	}
	return answerOf(doing, v)
}

// answerOf begins to read what a script has returned.
func answerOf(doing string, v any) (*answer, error) {
	a := &answer{}
	var ok bool
	if a.values, ok = v.([]any); !ok {
		return nil, fmt.Errorf("redis: %s: the script's answer is a %T", doing, v)
	}
	a.history = a.text()
	now := time.Unix(a.number(), 0).Add(time.Duration(a.number()) * time.Microsecond)
	a.clock = lease.Clock{Now: now.UTC()} // the server's is the one clock, and has no error
	return a, a.done(doing)
}

// done returns the answer's error.
func (a *answer) done(doing string) error {
	if a.err != nil {
		return fmt.Errorf("redis: %s: the script's answer has another form: %w", doing, a.err)
	}
	return nil
}

func (a *answer) next() any {
	if len(a.values) == 0 {
		if a.err == nil {
			a.err = errors.New("it is too short")
		}
		return nil
	}
	v := a.values[0]
	a.values = a.values[1:]
	return v
}

// text returns a text, or "" for nil.
func (a *answer) text() string {
	switch v := a.next().(type) {
	case string:
		return v
	case nil:
		return ""
	default:
		if a.err == nil {
			a.err = fmt.Errorf("a %T for a text", v)
		}
		return ""
	}
}

func (a *answer) number() int64 {
	switch v := a.next().(type) {
	case int64:
		return v
	case string:
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil && a.err == nil {
			a.err = err
		}
		return n
	default:
		if a.err == nil {
			a.err = fmt.Errorf("a %T for a number", v)
		}
		return 0
	}
}

// list returns the values of a list; a missing one is empty.
func (a *answer) list() *answer {
	v := a.next()
	values, ok := v.([]any)
	if !ok && v != nil && a.err == nil {
		a.err = fmt.Errorf("a %T for a list", v)
	}
	return &answer{values: values, err: a.err}
}

// stored is the text of a row.
type stored struct {
	id   int64
	text string
}

// rows returns the rows of a list of IDs and texts. One without a text is not there, though an
// index names it.
func (l *Leases) rows(a *answer) (rows []stored, err error) {
	list := a.list()
	for len(list.values) > 0 && list.err == nil {
		s := stored{list.number(), list.text()}
		if s.text == "" && list.err == nil {
			return nil, l.unreadable(l.keys[1], s.id, fmt.Errorf("it is not there, though %s and %s name it", l.keys[2], l.keys[3]))
		}
		rows = append(rows, s)
	}
	a.err = list.err
	return rows, nil
}

// What the scripts read.
type (
	oneRow struct {
		state
		namespace, row string
	}
	oneNamespace struct {
		state
		namespace string
		top       int64 // the highest ID that has a row, or -1
		reach     time.Duration
	}
	freeRows struct {
		state
		namespace string
		over      []stored
		all       bool  // there is no other that is over
		top       int64 // the highest ID that has a row, or -1
	}
)

func (l *Leases) readRow(ctx context.Context, id int64) (r oneRow, err error) {
	const doing = "read a row"
	a, err := l.store.read(ctx, doing, rowScript, l.keys[:2], strconv.FormatInt(id, 10))
	if err != nil {
		return r, err
	}
	r = oneRow{a.state, a.text(), a.text()}
	return r, a.done(doing)
}

func (l *Leases) readNamespace(ctx context.Context) (r oneNamespace, err error) {
	const doing = "read the namespace"
	a, err := l.store.read(ctx, doing, namespaceScript, l.keys)
	if err != nil {
		return r, err
	}
	r = oneNamespace{state: a.state, namespace: a.text(), top: a.number()}
	r.reach = micros(a.number())
	return r, a.done(doing)
}

func (l *Leases) readFree(ctx context.Context, w lease.Wanted, skip int64, most int) (r freeRows, err error) {
	const doing = "look for a free ID"
	a, err := l.store.read(ctx, doing, freeScript, l.keys, w.IDs.First, w.IDs.Last, w.Rest.Microseconds(), skip, most)
	if err != nil {
		return r, err
	}
	r = freeRows{state: a.state, namespace: a.text()}
	if len(a.values) == 0 {
		return r, a.done(doing) // there is none, or one that cannot be read
	}
	if r.over, err = l.rows(a); err != nil {
		return r, err
	}
	r.all, r.top = a.number() == 1, a.number()
	return r, a.done(doing)
}

// readNone returns the row that is over next, if there is one, and the first of the ranges of IDs that
// have no row.
func (l *Leases) readNone(ctx context.Context, ids lease.Range) (next []stored, missing []lease.Range, err error) {
	const doing = "look for missing rows"
	a, err := l.store.read(ctx, doing, noneScript, l.keys, ids.First, ids.Last)
	if err != nil {
		return nil, nil, err
	}
	if next, err = l.rows(a); err != nil {
		return nil, nil, err
	}
	list := a.list()
	for len(list.values) > 0 {
		missing = append(missing, lease.Range{First: list.number(), Last: list.number()})
	}
	a.err = list.err
	return next, missing, a.done(doing)
}

// anyNamespace stands for a namespace that is not compared.
const anyNamespace = "-"

// write stores a namespace, unless its text is "", and changes of rows. It returns false if
// something was written since it was read, or may have been lost.
func (l *Leases) write(ctx context.Context, history, was, is string, changes ...change) (bool, error) {
	const doing = "write"
	args := []any{history, was, is}
	for _, c := range changes {
		args = append(args, c.args()...)
	}
	v, err := l.store.run(ctx, doing, writeScript, l.keys, args...)
	if err != nil {
		return false, err
	}
	switch v {
	case "stored":
		return true, nil
	case "raced":
		return false, nil
	}
	return false, fmt.Errorf("redis: %s: the script's answer is %.100q", doing, fmt.Sprint(v))
}

// register adds a name to the set of namespaces.
func (s *Store) register(ctx context.Context, name string) error {
	if err := s.process(ctx, redis.NewIntCmd(ctx, "sadd", s.namesKey(), name)); err != nil {
		return failed("register the namespace", err)
	}
	return nil
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

func micros(n int64) time.Duration {
	if n > int64(1<<63-1)/int64(time.Microsecond) {
		return 1<<63 - 1
	}
	return time.Duration(n) * time.Microsecond
}
