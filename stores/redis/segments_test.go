package redis_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/internal/orders"
)

const (
	counterKey = "uid:segment:{orders}"
	rowKey     = "uid:segment:{orders}:row"
	tagsKey    = "uid:segments"
)

// drawn returns a server, and a store of segments in which 10 numbers of orders were drawn.
func drawn(t *testing.T) (*fake, segment.Store) {
	t.Helper()
	f := newFake(t)
	s := f.store().Segments()
	require.NoError(t, s.Change(t.Context(), "orders", orders.Draw(10)))
	return f, s
}

// look returns the row that a decision gets.
func look(t *testing.T, f *fake) (row storage.Segment) {
	t.Helper()
	no := errors.New("a look")
	require.ErrorIs(t, f.store().Segments().Change(t.Context(), "orders",
		func(r *storage.Segment) error { row = *r; return no }), no)
	return row
}

func (f *fake) text(key string) string {
	text, err := f.Get(key)
	require.NoError(f.t, err)
	return text
}

// What is stored is read by later versions, and by other programs: it must not change.
func TestSegmentTexts(t *testing.T) {
	f := newFake(t)
	s := f.store().Segments()
	require.Equal(t, "segments of Redis keys uid:*", s.Name())
	row := storage.Segment{
		Tag: "another", Next: 1<<53 + 2, Step: 7, Description: "<d>", Updated: time.Unix(1, 0),
		Writes: 3, Floor: 1<<53 + 2, Takers: []storage.Taker{{Nonce: "A", Last: 1<<53 + 1}},
	}
	set := func(r *storage.Segment) error { *r = row; return nil }
	require.NoError(t, s.Change(t.Context(), "orders", set))
	require.Equal(t, "9007199254740993", f.text(counterKey))
	is := f.text(rowKey)
	require.Regexp(t, `^\{"v":2,"write":"[A-Z2-7]{26}",`+
		`"next":9007199254740994,"step":7,"description":"\\u003cd\\u003e",`+
		`"updated":1782907200000000,"writes":3,"floor":9007199254740994,"takers":\["A 9007199254740993"\]\}$`, is)
	row.Tag, row.Updated = "orders", f.now
	require.Equal(t, row, look(t, f))
	require.NoError(t, s.Change(t.Context(), "orders", set))
	require.NotEqual(t, is, f.text(rowKey), "no two writes are alike")
}

// Any program draws from the counter, whoever was first.
func TestSegmentForeign(t *testing.T) {
	f := newFake(t)
	admin := f.client()
	s := f.store().Segments()
	require.NoError(t, admin.IncrBy(t.Context(), counterKey, 5).Err())
	require.Equal(t, storage.Segment{Tag: "orders", Next: 6, Step: 1}, look(t, f))
	require.Empty(t, orders.Rows(t, s, 10), "nobody knows the tag")

	require.NoError(t, s.Change(t.Context(), "orders", orders.Draw(10)))
	last, err := admin.Incr(t.Context(), counterKey).Result()
	require.NoError(t, err)
	require.EqualValues(t, 16, last)
	want := storage.Segment{Tag: "orders", Next: 17, Step: 1, Updated: f.now}
	require.Equal(t, []storage.Segment{want}, orders.Rows(t, s, 10))

	// One number more, where floats have no place for it.
	require.NoError(t, f.Set(counterKey, strconv.FormatInt(1<<53, 10)))
	trips, seen := f.count("EVALSHA"), []int64(nil)
	require.NoError(t, s.Change(t.Context(), "orders", func(r *storage.Segment) error {
		if seen = append(seen, r.Next); len(seen) < 3 {
			require.NoError(t, admin.Incr(t.Context(), counterKey).Err())
		}
		return orders.Draw(10)(r)
	}))
	require.Equal(t, []int64{1<<53 + 1, 1<<53 + 2, 1<<53 + 3}, seen)
	require.Equal(t, trips+2+2, f.count("EVALSHA"), "one more for each race")
	require.Equal(t, strconv.FormatInt(1<<53+12, 10), f.text(counterKey))
}

// A change takes two round trips; the first of a process one more. TestSegmentForeign has one more for each race.
func TestSegmentRoundTrips(t *testing.T) {
	f, _ := drawn(t)
	s := f.store().Segments()
	for _, added := range []int{1, 0} {
		trips, adds := f.count("EVALSHA"), f.count("ZADD")
		require.NoError(t, s.Change(t.Context(), "orders", orders.Draw(1)))
		require.Equal(t, trips+2, f.count("EVALSHA"))
		require.Equal(t, adds+added, f.count("ZADD"))
	}
}

// A write that arrives twice finds itself and is content, even if others have drawn in between.
func TestSegmentWriteFindsItself(t *testing.T) {
	f, _ := drawn(t)
	d, q := f.store().Driver(), stores.Query{Keys: []string{stores.Key{Tag: "orders", ID: -1}.String()}}
	a, err := d.Read(t.Context(), q)
	require.NoError(t, err)
	put := a.Records[0]
	put.Text = "19\n{}"
	w := stores.Write{Read: a, Were: a.Records, Puts: []stores.Record{put}, Otherwise: q}
	writes := f.count("MSET")
	for _, counter := range []string{"20", "21"} {
		stored, _, err := d.Write(t.Context(), w)
		require.NoError(t, err)
		require.True(t, stored)
		require.NoError(t, f.client().Incr(t.Context(), counterKey).Err())
		require.Equal(t, counter, f.text(counterKey))
	}
	require.Equal(t, writes+1, f.count("MSET"))
}

// A decision outlives neither a restart nor a promotion: numbers may have been lost.
func TestSegmentHistory(t *testing.T) {
	for name, change := range map[string]func(f *fake){
		"restart": func(f *fake) { f.runs++ },
		"promotion": func(f *fake) {
			f.info["replication"] = strings.Replace(f.info["replication"], "4840", "0000", 1)
		},
	} {
		f, s := drawn(t)
		ran := 0
		require.NoError(t, s.Change(t.Context(), "orders", func(r *storage.Segment) error {
			if ran++; ran == 1 {
				f.set(func() { change(f) })
			}
			return orders.Draw(1)(r)
		}), name)
		require.Equal(t, 2, ran, name)
	}
	f, s := drawn(t)
	f.set(func() { f.info["replication"] = strings.Replace(f.info["replication"], "master", "slave", 1) })
	orders.Fails(t, s.Change(t.Context(), "orders", orders.UnaskedDraw(t)), true, "READONLY")
}

// A counter that was set back, or has begun anew, is offered as it is, beside how far it was; and one
// without a row has forgotten who took from it.
func TestSegmentBehind(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(f *fake)
		next   int64 // below 0: the counter is gone
	}{
		"set back":   {func(f *fake) { _ = f.Set(counterKey, "8") }, 9},
		"to 0":       {func(f *fake) { _ = f.Set(counterKey, "-1") }, 0},
		"gone":       {func(f *fake) { f.Del(counterKey) }, -1},
		"begun anew": {func(f *fake) { f.Del(counterKey); f.client().Incr(context.Background(), counterKey) }, 2},
	} {
		f, s := drawn(t)
		require.NoError(t, s.Change(t.Context(), "orders", func(r *storage.Segment) error { r.Stamp(); return nil }))
		c.damage(f)
		want := storage.Segment{Tag: "orders", Next: c.next, Step: 1, Updated: f.now, Writes: 1, Floor: 10}
		if rows := orders.Rows(t, s, 10); c.next < 0 {
			want = storage.Segment{Tag: "orders", Fresh: true, Writes: 1, Floor: 10}
			require.Empty(t, rows)
		} else {
			require.Equal(t, []storage.Segment{want}, rows)
		}
		require.Equal(t, want, look(t, f), name)
		g, err := segment.New(s, "orders", segment.Config{Create: true, LossyStore: true})
		require.NoError(t, err)
		_, err = g.GetUID()
		require.ErrorIs(t, err, segment.ErrLost, name)
		require.NoError(t, g.Close())
	}
	f, _ := drawn(t)
	f.Del(rowKey)
	require.Equal(t, storage.Segment{Tag: "orders", Next: 10, Step: 1}, look(t, f))
	f.Del(counterKey)
	require.Equal(t, storage.Segment{Tag: "orders", Fresh: true}, look(t, f))
}

// The index has each tag that was written, even if it has lost it; a tag alone is no row.
func TestSegmentIndex(t *testing.T) {
	f := newFake(t)
	s := f.store().Segments()
	f.set(func() { f.fails["ZADD"] = "READONLY You can't write against a read only replica." })
	orders.Fails(t, s.Change(t.Context(), "orders", orders.Draw(1)), true, "READONLY")
	f.set(func() { clear(f.fails) })
	require.True(t, look(t, f).Fresh)
	refused := errors.New("refused")
	require.ErrorIs(t, s.Change(t.Context(), "orders", func(*storage.Segment) error { return refused }), refused)
	require.False(t, f.Exists(tagsKey), "nothing was written")

	require.NoError(t, f.store().Segments().Change(t.Context(), "orders", orders.Draw(10)))
	f.Del(tagsKey)
	require.NoError(t, s.Change(t.Context(), "orders", orders.Draw(1)))
	tags, err := f.ZMembers(tagsKey)
	require.NoError(t, err)
	require.Equal(t, []string{"orders"}, tags)
	f.Del(counterKey)
	f.Del(rowKey)
	require.Empty(t, orders.Rows(t, s, 10))
}

// Inspect names each way to lose what was acknowledged, and each that the server does not tell of.
func TestInspectSegments(t *testing.T) {
	durable := func(f *fake) {
		f.config = map[string]string{"appendfsync": "always", "no-appendfsync-on-rewrite": "no"}
		f.info["replication"] += "connected_slaves:0\r\n"
	}
	for says, damage := range map[string]func(f *fake){
		"":                                    func(*fake) {},
		"no append-only file (appendonly no)": func(f *fake) { f.info["persistence"] = "aof_enabled:0\r\n" },
		"not tell whether it has an append-only file": func(f *fake) { f.info["persistence"] = "" },
		"appendfsync is everysec":                     func(f *fake) { f.config["appendfsync"] = "everysec" },
		"not tell whether appendfsync is always":      func(f *fake) { f.config = nil },
		"no-appendfsync-on-rewrite is yes":            func(f *fake) { f.config["no-appendfsync-on-rewrite"] = "yes" },
		"drops counters when 1000000 bytes": func(f *fake) {
			f.info["memory"] = "maxmemory:1000000\r\nmaxmemory_policy:allkeys-lru\r\n"
		},
		"replicas (2)": func(f *fake) {
			f.info["replication"] = strings.Replace(f.info["replication"], "slaves:0", "slaves:2", 1)
		},
		"not tell how many replicas": func(f *fake) {
			f.info["replication"] = strings.Replace(f.info["replication"], "connected", "", 1)
		},
		"of a Redis Cluster: a replica":             func(f *fake) { f.info["cluster"] = "cluster_enabled:1\r\n" },
		"not tell whether it is of a Redis Cluster": func(f *fake) { f.info["cluster"] = "" },
		"Sentinel watches the server":               func(f *fake) { f.hears = 1 },
		"not tell whether Sentinel watches it": func(f *fake) {
			f.fails["PUBSUB"] = "NOPERM User " + orders.Secret + " has no permissions"
		},
	} {
		f := newFake(t)
		durable(f)
		damage(f)
		lossy, err := f.store().Segments().Inspect(t.Context())
		require.NoError(t, err)
		if says == "" {
			require.Empty(t, lossy)
			continue
		}
		require.Len(t, lossy, 1, says)
		require.Contains(t, lossy[0], says)
		require.NotContains(t, lossy[0], orders.Secret)
	}
	for _, command := range []string{"CONFIG", "PUBSUB", "EVALSHA"} {
		f := newFake(t)
		durable(f)
		f.fails[command] = "LOADING Redis is loading the dataset in memory"
		_, err := f.store().Segments().Inspect(t.Context())
		require.True(t, retry.IsTransient(err), "%s: %v", command, err)
	}
}

// stuck holds back scripts, alone and in pipelines, and gives the call up.
type stuck struct {
	hook
	giveUp  func()
	release chan struct{}
}

func (s *stuck) hold(cmd goredis.Cmder, next func() error) error {
	if cmd.Name() != "evalsha" { // a connection begins with others
		return next()
	}
	s.giveUp()
	<-s.release
	return nil
}

func (s *stuck) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		return s.hold(cmd, func() error { return next(ctx, cmd) })
	}
}

func (s *stuck) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []goredis.Cmder) error {
		return s.hold(cmds[0], func() error { return next(ctx, cmds) })
	}
}

// A call that is given up does not wait for its client, which may wait for ever.
func TestCallsAreGivenUp(t *testing.T) {
	for _, call := range []func(ctx context.Context, s segment.Store) error{
		func(ctx context.Context, s segment.Store) error { return s.Change(ctx, "orders", orders.Draw(1)) },
		func(ctx context.Context, s segment.Store) error { _, err := s.Rows(ctx, "", 10); return err },
	} {
		f, _ := drawn(t)
		ctx, cancel := context.WithCancel(t.Context())
		held := &stuck{giveUp: cancel, release: make(chan struct{})}
		err := call(ctx, f.store(held).Segments())
		close(held.release)
		require.ErrorIs(t, err, context.Canceled)
		orders.Fails(t, err, true)
	}
}

// late answers CONFIG GET when the call is given up.
type late struct {
	hook
	giveUp func()
}

func (l late) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		config, is := cmd.(*goredis.MapStringStringCmd)
		if !is {
			return next(ctx, cmd)
		}
		l.giveUp()
		config.SetVal(nil)
		return nil
	}
}

// A call that is given up does not read what its client may still write. The race detector tells.
func TestLateAnswers(t *testing.T) {
	f := newFake(t)
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := f.store(late{giveUp: cancel}).Segments().Inspect(ctx)
		require.ErrorIs(t, err, context.Canceled)
	}
}

// What cannot be read is an error that names the key, and no text.
func TestSegmentUnreadable(t *testing.T) {
	for text, says := range map[string]string{
		orders.Secret:         "not the text of a whole number",
		"":                    "empty",
		"07":                  "not the text of a whole number",
		"7.0":                 "not the text of a whole number",
		"9223372036854775807": "9223372036854775807, which no number can follow",
		"-7":                  "-6",
	} {
		f := newFake(t)
		s := f.store().Segments()
		require.NoError(t, f.Set(counterKey, text))
		_, err := f.ZAdd(tagsKey, 0, "orders")
		require.NoError(t, err)
		_, listed := s.Rows(t.Context(), "", 10)
		for _, err := range []error{s.Change(t.Context(), "orders", orders.UnaskedDraw(t)), listed} {
			require.ErrorIs(t, err, uid.ErrRange, text)
			orders.Fails(t, err, false, says)
		}
	}
	f, s := drawn(t)
	for _, text := range []string{`{"` + orders.Secret + `":1}`, ""} {
		require.NoError(t, f.Set(rowKey, text))
		err := s.Change(t.Context(), "orders", orders.UnaskedDraw(t))
		require.ErrorIs(t, err, uid.ErrRange)
		orders.Fails(t, err, false, "orders")
	}
	f.Del(counterKey)
	f.HSet(counterKey, "a", "b")
	require.Error(t, s.Change(t.Context(), "orders", orders.UnaskedDraw(t)))
	_, err := s.Rows(t.Context(), "", 10)
	require.Error(t, err)
	_, err = f.ZAdd(tagsKey, 0, orders.Secret+"@")
	require.NoError(t, err)
	_, err = s.Rows(t.Context(), "", 10)
	require.ErrorIs(t, err, uid.ErrRange)
	orders.Fails(t, err, false, tagsKey)
}

// Of a write that fails nothing is stored. One that does not takes a time to live away, with which the counter would
// begin anew one day.
func TestSegmentWrites(t *testing.T) {
	f, s := drawn(t)
	counter, row := f.text(counterKey), f.text(rowKey)
	f.SetTTL(counterKey, time.Hour)
	f.set(func() { f.fails["MSET"] = "OOM command not allowed when used memory > 'maxmemory'." })
	require.ErrorContains(t, s.Change(t.Context(), "orders", orders.Draw(1)), "redis")
	require.Equal(t, []string{counter, row}, []string{f.text(counterKey), f.text(rowKey)})
	f.set(func() { clear(f.fails) })
	require.NoError(t, s.Change(t.Context(), "orders", orders.Draw(1)))
	require.Zero(t, f.TTL(counterKey))
}

// A page is read by scripts that the server may lack.
func TestSegmentRows(t *testing.T) {
	f, s := drawn(t)
	for i, tag := range []string{"a", "b", "z"} { // of the second there is only the tag
		_, err := f.ZAdd(tagsKey, 0, tag)
		require.NoError(t, err)
		if i != 1 {
			require.NoError(t, f.Set("uid:segment:{"+tag+"}", "5"))
		}
	}
	require.NoError(t, f.client().ScriptFlush(t.Context()).Err())
	rows := orders.Rows(t, s, 10)
	require.Len(t, rows, 3)
	require.Equal(t, []string{"a", "orders", "z"}, []string{rows[0].Tag, rows[1].Tag, rows[2].Tag})
}
