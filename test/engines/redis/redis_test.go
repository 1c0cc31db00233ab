package redis_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/stores/redis"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/proxy"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"
	"github.com/uidgen/uid/worker/storetest"
)

const secret = "hunter2"

func TestMain(m *testing.M) {
	logging.Disable() // it tells of each connection that tests break
	cluster.Main(m)
}

// A kind is a kind of server.
type kind struct {
	name  string
	start func(name string, options ...string) (*cluster.Redis, error)
	pair  func(name string, options ...string) (*cluster.Pair, error)
	// shared is the server of tests that empty it first.
	shared func(testing.TB) *cluster.Redis
}

var kinds = []kind{
	newKind("redis", cluster.StartRedis, cluster.StartRedisPair),
	newKind("valkey", cluster.StartValkey, cluster.StartValkeyPair),
}

func newKind(name string, start func(string, ...string) (*cluster.Redis, error), pair func(string, ...string) (*cluster.Pair, error)) kind {
	return kind{name, start, pair, cluster.Share(func() (*cluster.Redis, error) { return start(name, "--requirepass="+secret) })}
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

func store(t *testing.T, c goredis.UniversalClient) *redis.Store {
	t.Helper()
	s, err := redis.New(c, redis.Config{})
	require.NoError(t, err)
	return s
}

func leases(t *testing.T, c goredis.UniversalClient, namespace string) *redis.Leases {
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

var given = regexp.MustCompile(`"given":-?\d+`)

// A wire is the proxies of clients, by what they speak to.
type wire struct {
	mu      sync.Mutex
	proxies map[any]*proxy.Proxy
}

// open opens a store over a proxy of its own.
func (w *wire) open(t *testing.T, s *cluster.Redis, of func(*redis.Store) any) any {
	p, err := proxy.Listen("127.0.0.1:0", s.Addr(0))
	require.NoError(t, err)
	t.Cleanup(p.Close)
	c := of(store(t, client(t, p.Addr())))
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.proxies == nil {
		w.proxies = map[any]*proxy.Proxy{}
	}
	w.proxies[c] = p
	return c
}

// of returns a client's proxy.
func (w *wire) of(client any) *proxy.Proxy {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.proxies[client]
}

// subject returns an empty store on a running server.
func subject(t *testing.T, s *cluster.Redis) storetest.Subject {
	admin := client(t, s.Addr(0))
	require.NoError(t, admin.FlushAll(context.Background()).Err())
	var w wire
	return storetest.Subject{
		Open: func(namespace string) (lease.Store, error) {
			return w.open(t, s, func(s *redis.Store) any {
				l, err := s.Leases(namespace)
				require.NoError(t, err)
				return l
			}).(lease.Store), nil
		},
		Fault:    func(client lease.Store, f storetest.Fault) bool { return lay(t, admin, w.of(client), f) },
		Registry: func() (registry.Store, error) { return store(t, client(t, s.Addr(0))), nil },
		RemoveNamespace: func(namespace string) error {
			return admin.Del(context.Background(), "uid:{"+namespace+"}:namespace").Err()
		},
		RemoveRow: func(namespace string, id int64) error {
			base, padded, ctx := "uid:{"+namespace+"}:", fmt.Sprintf("%019d", id), context.Background()
			return errors.Join(admin.HDel(ctx, base+"rows", fmt.Sprint(id)).Err(),
				admin.ZRem(ctx, base+"ends", padded).Err(),
				admin.ZRem(ctx, base+"ids", padded).Err())
		},
		SetGiven: func(namespace string, n int64) error {
			key := "uid:{" + namespace + "}:namespace"
			text, err := admin.Get(context.Background(), key).Result()
			if err != nil {
				return err
			}
			return admin.Set(context.Background(), key,
				given.ReplaceAllString(text, fmt.Sprintf(`"given":%d`, n)), 0).Err()
		},
		Backup: backup(t, s),
		Secret: secret,
	}
}

// lay makes the requests of a client go wrong. Only those that write have a history in them.
func lay(t *testing.T, admin *goredis.Client, p *proxy.Proxy, f storetest.Fault) bool {
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

// backup keeps the append-only file.
func backup(t *testing.T, s *cluster.Redis) func() (restore func()) {
	return func() (restore func()) {
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
		open := func(t *testing.T) storetest.Subject { return subject(t, k.shared(t)) }
		storetest.Run(t, storetest.Config{Histories: 10}, open)
		storetest.RunRegistry(t, storetest.Config{}, open)
	})
}
