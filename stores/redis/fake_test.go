package redis_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	goredis "github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/drivers"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/drivertest"
	"github.com/uidgen/uid/stores/internal/orders"
	"github.com/uidgen/uid/stores/redis"
)

// A fake is a server in memory. It knows Lua, but no INFO, which is added here.
type fake struct {
	*miniredis.Miniredis
	t *testing.T

	turns sync.Mutex // one advance at a time, outside mu: a script that runs holds SetTime's lock, and then wants mu
	now   time.Time

	backups int

	mu     sync.Mutex
	runs   int               // of its process
	info   map[string]string // sections
	config map[string]string // what CONFIG GET tells; nil for nothing
	hears  int               // Sentinels that listen
	fails  map[string]string // the error of a command
	counts map[string]int    // of commands that clients have sent
}

func newFake(t *testing.T) *fake {
	f := &fake{Miniredis: miniredis.RunT(t), t: t, now: time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC),
		fails: map[string]string{}, counts: map[string]int{}}
	f.RequireAuth(orders.Secret)
	f.SetTime(f.now)
	f.info = map[string]string{
		"server":      "redis_version:7.0.15\r\nredis_mode:standalone\r\n",
		"replication": "role:master\r\nmaster_replid:48403378917ec9711aa5789dc35a4d729060aaf1\r\n",
		"persistence": "loading:0\r\naof_enabled:1\r\naof_last_write_status:ok\r\n",
		"memory":      "used_memory:1000000\r\nmaxmemory:0\r\nmaxmemory_policy:noeviction\r\n",
		"cluster":     "cluster_enabled:0\r\n",
	}
	f.Server().SetPreHook(f.before)
	return f
}

// before runs before each command, those of scripts among them.
func (f *fake) before(c *server.Peer, command string, args ...string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts[command]++
	if text, is := f.fails[command]; is {
		c.WriteError(text)
		return true
	}
	switch {
	case command == "CONFIG" && f.config != nil:
		c.WriteMapLen(len(f.config))
		for name, value := range f.config {
			c.WriteBulk(name)
			c.WriteBulk(value)
		}
	case command == "PUBSUB":
		c.WriteLen(2)
		c.WriteBulk(args[1])
		c.WriteInt(f.hears)
	case command == "INFO":
		text := "# " + args[0] + "\r\n" + f.info[args[0]]
		if args[0] == "server" {
			text += fmt.Sprintf("run_id:d7647000f247155ec476a0797763d3d4950d%04d\r\n", f.runs)
		}
		c.WriteBulk(text)
	default:
		return false
	}
	return true
}

// set changes the server under its lock.
func (f *fake) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// restart gives the server another run_id.
func (f *fake) restart() { f.set(func() { f.runs++ }) }

func (f *fake) advance(by time.Duration) {
	f.turns.Lock()
	defer f.turns.Unlock()
	f.now = f.now.Add(by)
	f.SetTime(f.now)
}

func (f *fake) client(hooks ...goredis.Hook) goredis.UniversalClient {
	c := goredis.NewClient(&goredis.Options{Addr: f.Addr(), Password: orders.Secret, MinRetryBackoff: -1})
	for _, h := range hooks {
		c.AddHook(h)
	}
	f.t.Cleanup(func() { _ = c.Close() })
	return c
}

func (f *fake) store(hooks ...goredis.Hook) *stores.Store {
	s, err := redis.New(f.client(hooks...), redis.Config{})
	require.NoError(f.t, err)
	return s
}

// A hook lets everything pass.
type hook struct{}

func (hook) DialHook(next goredis.DialHook) goredis.DialHook          { return next }
func (hook) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook { return next }
func (hook) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return next
}

// backup keeps all keys in a database of their own. Going back to them is what a restart, or a failover, can look like.
func (f *fake) backup() (restore func()) {
	f.backups++
	kept := f.backups
	f.copy(0, kept)
	return func() {
		f.FlushDB()
		f.copy(kept, 0)
		f.restart()
	}
}

// copy copies all keys of a database into another one.
func (f *fake) copy(from, to int) {
	c := goredis.NewClient(&goredis.Options{Addr: f.Addr(), Password: orders.Secret, DB: from})
	defer c.Close()
	for _, key := range f.DB(from).Keys() {
		require.NoError(f.t, c.Copy(context.Background(), key, key, to, true).Err())
	}
}

func (f *fake) subject() drivertest.Subject {
	f.advance(time.Since(f.now)) // segments are not dated before their test
	return drivertest.Subject{
		Open: func() (stores.Driver, error) { return f.store().Driver(), nil },
		Remove: func(key string) error {
			k, ok := stores.ParseKey(key)
			require.True(f.t, ok)
			base, id := "uid:{"+k.Namespace+"}:", fmt.Sprintf("%019d", k.ID)
			if k.ID < 0 {
				f.Del(base + "namespace")
				return nil
			}
			f.HDel(base+"rows", id)
			_, err := f.ZRem(base+"ids", id)
			return err
		},
		Advance: f.advance,
		Backup:  f.backup,
		Secret:  orders.Secret,
	}
}

// segments are its numbers, which others draw from, too.
func (f *fake) segments() segmenttest.Subject {
	out := segmenttest.Over(drivers.Database(f.subject()))
	out.Lower = func(tag string, next int64) error {
		if next < 0 {
			return f.client().Del(context.Background(), "uid:segment:{"+tag+"}").Err()
		}
		return f.client().Set(context.Background(), "uid:segment:{"+tag+"}", next-1, 0).Err()
	}
	out.Foreign = func(tag string, n int64) (first int64, err error) {
		last, err := f.client().IncrBy(context.Background(), "uid:segment:{"+tag+"}", n).Result()
		return last - n + 1, err
	}
	return out
}
