package redis_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/internal/orders"
	"github.com/uidgen/uid/stores/redis"
)

func TestNewRefuses(t *testing.T) {
	c := goredis.NewClient(&goredis.Options{})
	defer c.Close()
	ring := goredis.NewRing(&goredis.RingOptions{})
	defer ring.Close()
	for name, try := range map[string]func() (*stores.Store, error){
		"nil":          func() (*stores.Store, error) { return redis.New(nil, redis.Config{}) },
		"a nil client": func() (*stores.Store, error) { return redis.New((*goredis.Client)(nil), redis.Config{}) },
		"a ring":       func() (*stores.Store, error) { return redis.New(ring, redis.Config{}) },
		"a long prefix": func() (*stores.Store, error) {
			return redis.New(c, redis.Config{Prefix: orders.Secret + strings.Repeat("x", 65)})
		},
		"a URL": func() (*stores.Store, error) {
			return redis.New(c, redis.Config{Prefix: "redis://u:" + orders.Secret + "@h/0"})
		},
		"braces":    func() (*stores.Store, error) { return redis.New(c, redis.Config{Prefix: "a{b}"}) },
		"a pattern": func() (*stores.Store, error) { return redis.New(c, redis.Config{Prefix: "a*"}) },
	} {
		_, err := try()
		require.ErrorIs(t, err, uid.ErrConfig, name)
		require.NotContains(t, err.Error(), orders.Secret, name)
	}
	s, err := redis.New(c, redis.Config{Prefix: strings.Repeat("x", 64)})
	require.NoError(t, err)
	require.Contains(t, s.Driver().Name(), "Redis keys xxx")
	require.False(t, s.Driver().Durable())
}

// What servers answer becomes an error of the right kind, in other words.
func TestServersErrors(t *testing.T) {
	for _, c := range []struct {
		text      string
		transient bool
		says      string
	}{
		{"READONLY You can't write against a read only replica.", true, "a replica"},
		{"LOADING Redis is loading the dataset in memory", true, "reading its data"},
		{"MASTERDOWN Link with MASTER is down", true, "without its primary"},
		{"CLUSTERDOWN Hash slot not served", true, "no server"},
		{"TRYAGAIN Multiple keys request during rehashing of slot", true, "moved"},
		{"BUSY Redis is busy running a script.", true, "another script"},
		{"OOM command not allowed when used memory > 'maxmemory'.", true, "no memory"},
		{"MISCONF Errors writing to the AOF file: No space left on device", true, "disk"},
		{"NOREPLICAS Not enough good replicas to write.", true, "min-replicas-to-write"},
		{"ERR max number of clients reached", true, "too many clients"},
		{"NOAUTH Authentication required.", false, "wants a password"},
		{"WRONGPASS invalid username-password pair or user is disabled. hunter2", false, "password is wrong"},
		{"NOPERM User hunter2 has no permissions to run the 'evalsha' command", false, "may not use"},
		{"ERR The user executing the script can't run this command", false, "NOPERM"},
		{"ERR ACL failure in script: User hunter2 has no permissions", false, "NOPERM"},
		{"ERR Error running script (call to f_1): @user_script:12: @user_script: 12: -OOM command not allowed",
			true, "no memory"},
		{"ERR unknown command 'EVALSHA', with args beginning with: 'hunter2'", false, "answered ERR"},
		{"hunter2", false, "not known"},
		{"hunter2 is wrong", false, "not known"},
		{"HUNTER2 is wrong", false, "not known"},
	} {
		t.Run(c.text[:min(20, len(c.text))], func(t *testing.T) {
			f, l := made(t)
			f.set(func() { f.fails["EVALSHA"] = c.text })
			err := l.Change(t.Context(), 0, orders.Keep)
			orders.Fails(t, err, c.transient, c.says)
			require.NotContains(t, strings.ToLower(logtest.Texts(err)), orders.Secret)
		})
	}
}

// Errors of connections, too, hold no password.
func TestConnectionsErrors(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	f := newFake(t)
	cases := map[string]struct {
		options   goredis.Options
		hook      error
		transient bool
		says      string
	}{
		"nobody listens": {options: goredis.Options{Addr: closed.Addr().String(), Password: orders.Secret},
			transient: true, says: "refused"},
		"wrong password": {options: goredis.Options{Addr: f.Addr(), Password: orders.Secret + "2"}, says: "WRONGPASS"},
		"no password":    {options: goredis.Options{Addr: f.Addr()}, says: "NOAUTH"},
		"any other": {options: goredis.Options{Addr: f.Addr(), Password: orders.Secret},
			hook: errors.New("the token " + orders.Secret + " is stale"), transient: true, says: "the client failed"},
		"closed": {options: goredis.Options{Addr: f.Addr(), Password: orders.Secret},
			hook: fmt.Errorf("x: %w", goredis.ErrClosed), says: "closed"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			c.options.MaxRetries, c.options.DialerRetries = -1, 1
			client := goredis.NewClient(&c.options)
			defer client.Close()
			if c.hook != nil {
				client.AddHook(failing{err: c.hook})
			}
			s, err := redis.New(client, redis.Config{})
			require.NoError(t, err)
			orders.Fails(t, orders.Leases(t, s).Change(t.Context(), 0, orders.Keep), c.transient, c.says)
		})
	}
}

type failing struct {
	hook
	err error
}

func (h failing) ProcessHook(goredis.ProcessHook) goredis.ProcessHook {
	return func(context.Context, goredis.Cmder) error { return h.err }
}

// A server that does not say whose data it has is not read. TestSegmentHistory has one that is a replica.
func TestServerWithoutAHistory(t *testing.T) {
	f, l := made(t)
	f.set(func() { f.info["replication"] = "role:master\r\n" })
	orders.Fails(t, l.Change(t.Context(), 0, orders.Unasked(t)), false, "master_replid")
}

// A check judges what a server says of itself, and the start of a worker refuses some of that.
func TestExamine(t *testing.T) {
	examine := func(f *fake) map[string]doctor.Finding {
		all := map[string]doctor.Finding{}
		for _, finding := range orders.Findings(t, f.store()) {
			require.NotContains(t, all, finding.What)
			all[finding.What] = finding
		}
		return all
	}
	f, _ := made(t)
	for what, finding := range examine(f) {
		if what != "rights" && what != "appendfsync" { // which this server cannot tell
			require.Equal(t, doctor.LevelOK, finding.Level, "%v", finding)
		}
	}
	for _, c := range []struct {
		section, info, what string
		level               doctor.Level
		refused             string
	}{
		{"server", "redis_version:4.0.0\r\n", "server", "warn", ""},
		{"persistence", "aof_enabled:0\r\n", "append-only file", "error", "no append-only file"},
		{"persistence", "", "append-only file", "note", ""},
		{"persistence", "aof_enabled:1\r\naof_last_write_status:err\r\n", "writes to disk", "error", ""},
		{"memory", "used_memory:1\r\nmaxmemory:100\r\nmaxmemory_policy:allkeys-lfu\r\n", "eviction", "error", "drops"},
		{"memory", "used_memory:1\r\nmaxmemory:0\r\nmaxmemory_policy:allkeys-lfu\r\n", "eviction", "warn", ""},
		{"memory", "used_memory:1\r\nmaxmemory:100\r\nmaxmemory_policy:volatile-lru\r\n", "eviction", "ok", ""},
		{"memory", "used_memory:95\r\nmaxmemory:100\r\nmaxmemory_policy:noeviction\r\n", "memory", "warn", ""},
		{"memory", "", "memory", "note", ""},
		{"replication", "role:master\r\nmaster_replid:a\r\nconnected_slaves:1\r\n", "replicas", "warn", ""},
		{"replication", "role:master\r\nmaster_replid:a\r\nconnected_slaves:1\r\nmin_slaves_good_slaves:1\r\n",
			"replicas", "ok", ""},
	} {
		f := newFake(t)
		f.info[c.section] = c.info
		require.Equal(t, c.level, examine(f)[c.what].Level, "%+v", c)
		lossy, err := orders.Leases(t, f.store()).Inspect(t.Context())
		if c.refused != "" {
			logtest.Error(t, err, uid.ErrConfig, c.refused)
			continue
		}
		require.NoError(t, err)
		require.NotEmpty(t, lossy, "never durable")
	}
}

// On a cluster a namespace is judged by the server that has it, not by the one that has the names.
func TestExamineCluster(t *testing.T) {
	its, names := newFake(t), newFake(t)
	its.config, names.config = map[string]string{"appendfsync": "no"}, map[string]string{"appendfsync": "always"}
	client := goredis.NewClusterClient(&goredis.ClusterOptions{Password: orders.Secret,
		ClusterSlots: func(context.Context) ([]goredis.ClusterSlot, error) {
			return []goredis.ClusterSlot{ // "orders" comes to slot 105, and "uid:namespaces" to 15748
				{Start: 0, End: 8191, Nodes: []goredis.ClusterNode{{Addr: its.Addr()}}},
				{Start: 8192, End: 16383, Nodes: []goredis.ClusterNode{{Addr: names.Addr()}}},
			}, nil
		}})
	defer client.Close()
	s, err := redis.New(client, redis.Config{})
	require.NoError(t, err)
	orders.Made(t, s)
	findings := orders.Findings(t, s)
	require.Contains(t, fmt.Sprint(findings), "note appendfsync no ")
}

// Redis does not undo what a script did before an error. A row that the index alone has is none.
func TestUnreadable(t *testing.T) {
	f, l := made(t)
	f.advance(2 * time.Hour)
	row := f.row()
	f.HDel("uid:{orders}:rows", zero)
	require.ErrorContains(t, l.Take(t.Context(), orders.Wanted(0, 0), orders.Keep), "worker ID 0")
	f.HSet("uid:{orders}:rows", zero, row)
	f.Del("uid:{orders}:ids")
	_ = f.Set("uid:{orders}:ids", "x")
	orders.Fails(t, l.Change(t.Context(), 0, orders.Keep), false, "answered ERR")
	require.Equal(t, row, f.row())
}
