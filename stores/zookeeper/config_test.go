package zookeeper

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/scheme"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/internal/orders"
)

func TestConfig(t *testing.T) {
	conn := newFake(time.Now).connect(false)
	for _, cfg := range []Config{
		{Root: "uid"}, {Root: "/"}, {Root: "/uid/"}, {Root: "//uid"}, {Root: "/a/../b"}, {Root: "/a/."},
		{Root: "/zookeeper"}, {Root: "/zookeeper/uid"},
		{Root: "/ä"}, {Root: "/a b"}, {Root: "/a\x00"}, {Root: "/" + strings.Repeat("x", 300)}, {ClockError: -1},
		{ClockError: 2 * time.Hour},
		{Root: "zookeeper://u:" + orders.Secret + "@h/uid"}, {Root: "/u:" + orders.Secret + "@h//uid"},
		{Root: "/" + orders.Secret + " "}, {Root: "/" + orders.Secret + strings.Repeat("x", 300)},
	} {
		_, err := New(conn, cfg)
		require.True(t, errors.Is(err, uid.ErrConfig) || errors.Is(err, uid.ErrRange), "%+v: %v", cfg, err)
		require.NotContains(t, err.Error(), orders.Secret)
	}
	_, err := New(nil, Config{})
	require.ErrorIs(t, err, uid.ErrConfig)
	_, err = New((*zk.Conn)(nil), Config{})
	require.ErrorIs(t, err, uid.ErrConfig)
	s, err := New(conn, Config{Root: "/apps/uid", ClockError: 1500 * time.Nanosecond})
	require.NoError(t, err)
	require.Equal(t, 2*time.Microsecond, s.Driver().(*driver).off)
	require.Equal(t, "ZooKeeper node /apps/uid", s.Driver().Name())
	require.True(t, s.Driver().Durable())
	u, err := scheme.Parse("zookeeper://host/?clockerror=2h")
	require.NoError(t, err)
	_, err = u.Open(t.Context(), scheme.Options{})
	require.ErrorContains(t, err, "has a clockerror that is above an hour")
}

func TestNamesOfNodes(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range []string{"orders", "Orders", ".", "..", "a.b", ".a", "a/b", "a%2Fb", "a b", "%", "zookeeper",
		"clock", `!"#$%&'()*+,-./:;<=>?_`} {
		node := escape(name)
		require.NotContains(t, node, "/")
		require.False(t, seen[node])
		require.NotEqual(t, byte('.'), node[0])
		seen[node] = true
		back, ok := unescape(node)
		require.True(t, ok, node)
		require.Equal(t, name, back)
	}
	for _, node := range []string{"", "a b", "%2f", "%", "%4", "%zz", "%41", ".a", "ä", "a%2"} {
		_, ok := unescape(node)
		require.False(t, ok, node)
	}
	for name, want := range map[string]int64{"0": 0, "17": 17, "9223372036854775807": 1<<63 - 1} {
		key, ok := keyOf(stores.Key{Namespace: "a/b"}, name)
		require.True(t, ok)
		require.Equal(t, stores.Key{Namespace: "a/b", ID: want}.String(), key)
	}
	for _, name := range []string{"", "-1", "+1", "01", "1 ", "clock", "9223372036854775808"} {
		_, ok := keyOf(stores.Key{Namespace: "a/b"}, name)
		require.False(t, ok, name)
	}
}

func TestFailures(t *testing.T) {
	for err, passes := range map[error]bool{
		zk.ErrNoServer: true, zk.ErrConnectionClosed: true, zk.ErrSessionExpired: true, zk.ErrSessionMoved: true,
		zk.ErrClosing: true,
		zk.ErrNoAuth:  false, zk.ErrAuthFailed: false, zk.ErrInvalidACL: false,
		errors.New("unknown error: -7"): true, errors.New("unknown error: -127"): true,
		errors.New("unknown error: -125"):            false,
		errors.New("write tcp hunter2: broken pipe"): true, fmt.Errorf("hunter2: %w", zk.ErrNoAuth): false,
	} {
		orders.Fails(t, failure("read", "/uid", err), passes, "/uid")
	}
	require.ErrorIs(t, failure("read", "/uid", zk.ErrNoAuth), zk.ErrNoAuth)
}

func TestExamine(t *testing.T) {
	f := newFake(newHandClock().Now)
	l := leases(t, f)
	finding := func(what string) doctor.Finding { return find(t, l.all, what) }
	require.Equal(t, doctor.LevelNote, finding("synced writes").Level)

	rights := finding("rights on the nodes")
	require.Equal(t, doctor.LevelWarn, rights.Level)
	require.Contains(t, rights.Value, "2 of 2")
	l.conn.acl = append(zk.DigestACL(zk.PermAll, "uid", "hunter2"), zk.WorldACL(zk.PermRead)...)
	require.Equal(t, doctor.LevelOK, finding("rights on the nodes").Level)
	l.conn.refuse = map[string]bool{"getACL": true}
	require.Equal(t, doctor.LevelNote, finding("rights on the nodes").Level)

	require.Equal(t, doctor.LevelNote, finding("servers of the ensemble").Level)
	for text, level := range map[string]doctor.Level{
		"": doctor.LevelWarn, "server.1=h:1:2:participant;3\nserver.2=h:1:2:observer;3\nversion=0": doctor.LevelWarn,
		"server.1=h:1:2:participant\nserver.2=h:1:2:participant":            doctor.LevelNote,
		"server.1=a:1:2:participant\nserver.2=b:1:2\nserver.3=c:1:2;1\nx=1": doctor.LevelOK,
	} {
		f.states[len(f.states)-1]["/zookeeper/config"] = fakeNode{data: text}
		require.Equal(t, level, finding("servers of the ensemble").Level, text)
	}
	require.Equal(t, doctor.LevelOK, finding("lists of rows").Level)
	f.states[len(f.states)-1]["/uid/orders.segments"] = fakeNode{} // a namespace
	for i := range 60_000 {
		f.states[len(f.states)-1][fmt.Sprint("/uid/orders.segments/", 100_000+i)] = fakeNode{}
	}
	require.Equal(t, doctor.LevelWarn, finding("lists of rows").Level)
}

// No call passes on what the network says. Calls end with their contexts, and what they have asked for ends when it
// is answered.
func TestCallsFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which fails when a goroutine is left
		f := newFake(time.Now)
		l := leases(t, f)
		s, all := l.all.Segments(), l.all.Registry()
		orders.Taken(t, l, orders.Wanted(0, 0), time.Hour)
		ways := map[string]func(ctx context.Context) error{
			"Change": func(ctx context.Context) error { return change(l, ctx, 0, "late") },
			"Take":   func(ctx context.Context) error { return l.Take(ctx, orders.Wanted(0, 9), orders.Keep) },
			"Init": func(ctx context.Context) error {
				return l.Init(ctx, func(*storage.Namespace, storage.Clock) error { return nil })
			},
			"Inspect":    func(ctx context.Context) error { _, err := l.Inspect(ctx); return err },
			"Namespaces": func(ctx context.Context) error { _, _, err := all.Namespaces(ctx); return err },
			"Rows":       func(ctx context.Context) error { _, err := all.Rows(ctx, "orders", -1, 9); return err },
			"Examine": func(ctx context.Context) error {
				_, err := all.(doctor.Examiner).Examine(ctx, doctor.Config{})
				return err
			},
			"a segment's Change": func(ctx context.Context) error { return s.Change(ctx, "a", orders.Draw(1)) },
			"segments' Rows":     func(ctx context.Context) error { _, err := s.Rows(ctx, "", 9); return err },
			"segments' Inspect":  func(ctx context.Context) error { _, err := s.Inspect(ctx); return err },
		}
		l.conn.err = errors.New("dial " + orders.Secret)
		for _, call := range ways {
			orders.Fails(t, call(t.Context()), true)
		}
		l.conn.err, l.conn.hold = nil, make(chan struct{})
		for name, call := range ways {
			ctx, cancel := context.WithCancel(t.Context())
			returned := make(chan error)
			go func() { returned <- call(ctx) }()
			synctest.Wait() // until it waits for a reply
			cancel()
			err := <-returned
			require.ErrorIs(t, err, context.Canceled, name)
			orders.Fails(t, err, true)
		}
		close(l.conn.hold)
	})
}
