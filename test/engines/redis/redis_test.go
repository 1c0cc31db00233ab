package redis_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/drivertest"
	"github.com/uidgen/uid/stores/redis"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker/lease"
)

const secret = "hunter2"

func TestMain(m *testing.M) {
	logging.Disable() // it tells of each connection that tests break
	os.Exit(m.Run())
}

// must is for the test's own goroutine.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// A kind is a kind of server.
type kind struct {
	name  string
	start func(name string, options ...string) (*cluster.Redis, error)
}

var kinds = []kind{
	{"redis", cluster.StartRedis},
	{"valkey", cluster.StartValkey},
}

// onEach runs a test on each kind of server.
func onEach(t *testing.T, test func(t *testing.T, k kind)) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) { test(t, k) })
	}
}

func (k kind) server(t *testing.T, options ...string) *cluster.Redis {
	t.Helper()
	s, err := k.start(k.name, append([]string{"--requirepass=" + secret}, options...)...)
	cluster.For(t, s, err)
	return s
}

func client(t *testing.T, addr string, set ...func(*goredis.Options)) *goredis.Client {
	o := &goredis.Options{Addr: addr, Password: secret}
	for _, f := range set {
		f(o)
	}
	c := goredis.NewClient(o)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func store(t *testing.T, c goredis.UniversalClient) *stores.Store {
	t.Helper()
	s, err := redis.New(c, redis.Config{})
	require.NoError(t, err)
	return s
}

func leases(t *testing.T, c goredis.UniversalClient, namespace string) lease.Store {
	t.Helper()
	l, err := store(t, c).Leases(namespace)
	require.NoError(t, err)
	return l
}

// history returns the run_id, which only requests that write have in them.
func history(t *testing.T, c goredis.UniversalClient) string {
	t.Helper()
	info, err := c.Info(context.Background(), "server").Result()
	require.NoError(t, err)
	_, id, found := strings.Cut(info, "run_id:")
	require.True(t, found)
	return id[:40]
}

// subject returns an empty store on a running server.
func subject(t *testing.T, s *cluster.Redis) drivertest.Subject {
	admin := client(t, s.Addr(0))
	require.NoError(t, admin.FlushAll(context.Background()).Err())
	return drivertest.Subject{
		Open: func() (stores.Driver, error) {
			return store(t, client(t, s.Addr(0))).Driver(), nil
		},
		Remove: func(key string) error {
			k, _ := stores.ParseKey(key)
			base, id, ctx := "uid:{"+k.Namespace+"}:", fmt.Sprintf("%019d", k.ID), context.Background()
			if k.ID < 0 {
				return admin.Del(ctx, base+"namespace").Err()
			}
			return errors.Join(admin.HDel(ctx, base+"rows", id).Err(), admin.ZRem(ctx, base+"ids", id).Err())
		},
		Backup: backup(t, s),
		Secret: secret,
	}
}

// lay makes the requests of a client go wrong. Only those that write have a history in them.
func lay(t *testing.T, admin *goredis.Client, p *harness.Proxy, f storetest.Fault) bool {
	switch f {
	case storetest.OK:
		p.Refuse(false)
		p.SwallowReply("no request has this in it")
	case storetest.LoseWrite:
		p.SwallowRequest(history(t, admin))
	case storetest.LoseReply:
		p.SwallowReply(history(t, admin))
	default:
		return false
	}
	return true
}

// backup keeps the append-only file. Writes may be acknowledged before they are in it, while the disk is busy.
func backup(t *testing.T, s *cluster.Redis) func() (restore func()) {
	admin := client(t, s.Addr(0))
	return func() (restore func()) {
		require.Eventually(t, func() bool {
			info, err := admin.Info(context.Background(), "persistence").Result()
			return err == nil && strings.Contains(info, "aof_buffer_length:0\r")
		}, time.Minute, time.Millisecond)
		kept := t.TempDir()
		files := s.Path("appendonlydir")
		require.NoError(t, exec.Command("cp", "-a", files, kept).Run())
		return func() {
			s.Kill()
			require.NoError(t, os.RemoveAll(files))
			require.NoError(t, exec.Command("cp", "-a", kept+"/appendonlydir", s.Path()).Run())
			require.NoError(t, s.Restart())
		}
	}
}

func TestStore(t *testing.T) {
	onEach(t, func(t *testing.T, k kind) {
		s := k.server(t)
		fresh := func(t *testing.T) drivertest.Subject { return subject(t, s) }
		drivertest.Run(t, drivertest.Config{Histories: 10}, fresh)
	})
}
