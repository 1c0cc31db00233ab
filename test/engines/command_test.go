package engines_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines/cluster"
)

// canary is the password of every account, which nobody is to be told.
const canary = "hunter2"

// command is the built command; TestMain makes it.
var command string

func TestMain(m *testing.M) { cluster.MainWithCommand(m, &command) }

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// said is what a run of the command wrote, and its exit code.
type said struct {
	out, err string
	code     int
}

// run runs the command with a store in its environment.
func run(t *testing.T, store string, args ...string) said {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var out, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Env = []string{"UID_STORE=" + store, "HOME=" + t.TempDir(), "TMPDIR=" + os.TempDir()}
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		require.NoError(t, err)
	}
	s := said{out.String(), stderr.String(), cmd.ProcessState.ExitCode()}
	require.NotContains(t, strings.ToLower(s.out+s.err), canary, "%v", args)
	return s
}

// objects reads the JSON of a listing.
func objects(t *testing.T, out string) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(out) {
		var m map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &m), line)
		all = append(all, m)
	}
	return all
}

// A place is an empty store that the command is run on.
type place struct {
	url   string // with the password, where there is an account
	wrong string // the same with a wrong one; empty where anybody may do all
	sql   bool
}

// The servers that the tests share.
var (
	sharedEtcd      = cluster.Share(func() (*cluster.Etcd, error) { return cluster.StartEtcd("command", 3) })
	sharedZooKeeper = cluster.Share(func() (*cluster.ZooKeeper, error) { return cluster.StartZooKeeper(3) })
	sharedRedis     = cluster.Share(func() (*cluster.Redis, error) {
		return cluster.StartRedis("command", "--requirepass="+canary, "--appendfsync=always")
	})
	sharedValkey = cluster.Share(func() (*cluster.Redis, error) {
		return cluster.StartValkey("command", "--appendfsync=always")
	})
	sharedMySQL9 = cluster.Share(func() (*cluster.MySQL, error) { return cluster.StartMySQL9("command") })
)

var placed atomic.Int64

// part names a part of a server that no other test has.
func part() string { return fmt.Sprint("eu", placed.Add(1)) }

// places make a place on each engine.
var places = map[string]func(t *testing.T) place{
	"etcd": func(t *testing.T) place {
		return place{url: "etcd://" + strings.Join(sharedEtcd(t).Addrs(), ",") + "/region/" + part()}
	},
	"zookeeper": func(t *testing.T) place {
		nodes := strings.Join(sharedZooKeeper(t).Addrs(), ",")
		return place{url: "zookeeper://me:" + canary + "@" + nodes + "/region/" + part()}
	},
	"redis": func(t *testing.T) place {
		at := canary + "@" + sharedRedis(t).Addr(0) + "/0?prefix=" + part()
		return place{url: "redis://:" + at, wrong: "redis://:x" + at}
	},
	"valkey": func(t *testing.T) place {
		return place{url: "redis://" + sharedValkey(t).Addr(0) + "/0?prefix=" + part()}
	},
	"postgres": func(t *testing.T) place { return place{url: cluster.SharedPostgres(t).NewDatabase(t), sql: true} },
	"mysql9":   func(t *testing.T) place { return ofMySQL(t, sharedMySQL9(t)) },
	"mariadb":  func(t *testing.T) place { return ofMySQL(t, cluster.Shared(t)) },
}

func ofMySQL(t *testing.T, s *cluster.MySQL) place {
	database := s.NewDatabase(t)
	require.NoError(t, s.Exec("CREATE USER IF NOT EXISTS me@'%' IDENTIFIED BY '"+canary+"'",
		"GRANT ALL ON "+database+".* TO me@'%'"))
	at := canary + "@" + s.Addr(0) + "/" + database
	return place{url: "mysql://me:" + at, wrong: "mysql://me:x" + at, sql: true}
}

// calls run the command on a place: ok has to succeed, and fails has to fail and say why.
type calls struct {
	ok    func(args ...string) string
	fails func(says string, args ...string)
}

// eachPlace runs a test on an empty store of each engine.
func eachPlace(t *testing.T, test func(t *testing.T, p place, c calls)) {
	for name, start := range places {
		t.Run(name, func(t *testing.T) {
			p := start(t)
			exits := func(code int, args []string) said {
				t.Helper()
				s := run(t, p.url, args...)
				require.Equal(t, code, s.code, "%v: %s%s", args, s.out, s.err)
				return s
			}
			test(t, p, calls{
				ok: func(args ...string) string { t.Helper(); return exits(0, args).out },
				fails: func(says string, args ...string) {
					t.Helper()
					s := exits(1, args)
					require.Contains(t, s.out+s.err, says)
				},
			})
		})
	}
}

func TestCommand(t *testing.T) {
	eachPlace(t, func(t *testing.T, p place, c calls) {
		// An empty store.
		require.Empty(t, c.ok("worker", "ls"))
		require.Contains(t, run(t, p.url, "worker", "check", "--json").out, `"what":"clocks"`)
		if !p.sql {
			c.fails("this makes it, once: uid worker init --namespace default", "gen", "-n", "1")
		}

		require.Contains(t, c.ok("worker", "init", "--ids", "4-6"), "with the worker IDs 4 to 6")
		shop := c.ok("worker", "init", "--namespace", "shop", "--layout", "twitter")
		require.Contains(t, shop, `namespace "shop" is in`)
		c.ok("worker", "init", "--namespace", "shop", "--layout", "twitter")
		c.fails("another layout", "worker", "init", "--namespace", "shop")
		c.fails("4 to 6", "worker", "init", "--ids", "0-3")

		uids := map[string]bool{}
		for range 2 {
			for _, id := range strings.Fields(c.ok("gen", "-n", "1000")) {
				require.False(t, uids[id], "%s comes twice", id)
				uids[id] = true
			}
		}
		require.Len(t, uids, 2000)

		rows := objects(t, c.ok("worker", "ls", "--json"))
		counts := map[any]int{}
		var range46 any
		for _, r := range rows {
			counts[r["kind"]]++
			if r["namespace"] == "default" && r["kind"] == "namespace" {
				range46 = r["range"]
			}
		}
		require.Equal(t, "4-6", range46)
		require.Equal(t, 2, counts["namespace"])
		if p.sql {
			require.Equal(t, 1, counts["disposable"])
			return
		}
		require.Equal(t, 2, counts["lease"], "one for each run: an ID rests before it is leased again")
		require.Contains(t, c.ok("worker", "ls"), "released, in quarantine")
		require.Contains(t, c.ok("worker", "release", "default/4"), "it was released already")
		c.fails("no such lease", "worker", "release", "default/7")
		m := run(t, p.url, "worker", "check", "--json")
		require.Zero(t, m.code, m.out)
		require.Regexp(t, `1 can be had, of 3 \(the worker IDs 4 to 6\)`, m.out)
	})
}

// What is said when a server refuses, or none is there.
func TestCommandRefused(t *testing.T) {
	eachPlace(t, func(t *testing.T, p place, c calls) {
		closed := regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(p.url, "127.0.0.1:1")
		for _, line := range []string{"worker ls -v", "worker check", "gen -n 1", "worker init", "segment ls -v",
			"segment set x --create", "gen --segment x -v", "segment next x --lossy-store"} {
			args := strings.Fields(line)
			for _, url := range []string{p.wrong, closed} {
				if url == "" {
					continue
				}
				s := run(t, url, append(args, "--timeout", "1s")...)
				require.Equal(t, 1, s.code, "%v: %s%s", args, s.out, s.err)
				last := s.err[strings.LastIndex(strings.TrimSpace(s.err), "\n")+1:]
				require.True(t, strings.HasPrefix(last, "uid: "), s.err)
			}
		}
	})
}

func TestCommandSegments(t *testing.T) {
	eachPlace(t, func(t *testing.T, p place, c calls) {
		// An empty store, which stays so.
		require.Empty(t, c.ok("segment", "ls"))
		const none = `the store has no such tag: "invoice"; `
		const makes = none + "--create makes it"
		for range 2 {
			c.fails(none+"uid segment set --create makes it", "segment", "next", "invoice")
			c.fails(makes, "gen", "--segment", "invoice")
			c.fails(makes, "segment", "set", "invoice", "--next", "5")
		}
		require.Empty(t, c.ok("segment", "ls", "--json"))

		made := c.ok("segment", "set", "invoice", "--create", "-v")
		require.Equal(t, "tag \"invoice\": the next number is 1, the step 1\n", made)
		require.Equal(t, "1\n", c.ok("segment", "next", "invoice", "-v"))
		require.Equal(t, "2\n3\n4\n", c.ok("segment", "next", "invoice", "-n", "3"))
		c.ok("segment", "set", "invoice", "--step", "1000", "--description", "Bücher & \"more\"", "--create")
		require.Equal(t, "5\n6\n7\n8\n9\n", c.ok("gen", "--segment", "invoice", "-v"))
		c.fails("was 10, and 9 is below", "segment", "set", "invoice", "--next", "9")

		// From 2^53 on not every number is a float.
		const large int64 = 1<<62 + 1
		c.ok("segment", "set", "invoice", "--next", fmt.Sprint(large))
		require.Equal(t, fmt.Sprintln(large), c.ok("segment", "next", "invoice"))
		s := run(t, p.url, "segment", "set", "invoice", "--next", "10", "--lower")
		twice := fmt.Sprintf("uid: the numbers 10 to %d of tag \"invoice\" can now come twice\n", large)
		require.Equal(t, said{"tag \"invoice\": the next number is 10, the step 1000\n", twice, 0}, s)
		require.Equal(t, "10\n", c.ok("segment", "next", "invoice"))

		daily := c.ok("gen", "--segment", "order no. 1:", "--daily", "-n", "2", "--zone", "Europe/Berlin")
		require.Regexp(t, `^\d{8}-000001\n\d{8}-00000\d\n$`, daily)
		require.Equal(t, "1\n", c.ok("gen", "--segment", "a", "--create", "-n", "1"))
		rows := objects(t, c.ok("segment", "ls", "--json"))
		require.GreaterOrEqual(t, len(rows), 3)
		require.Equal(t, "a", rows[0]["tag"])
		require.NotNil(t, rows[1]["updated"])
		delete(rows[1], "updated")
		require.Equal(t, map[string]any{
			"tag": "invoice", "next": "11", "step": 1000.0, "description": "Bücher & \"more\"",
		}, rows[1])
		require.Regexp(t, `^order no. 1:/\d{8}$`, rows[2]["tag"])
		require.Contains(t, c.ok("segment", "ls", "a", rows[2]["tag"].(string)), "order no. 1:/")
		c.fails("no such tag: \"b\"", "segment", "ls", "a", "b")
		atOnce(t, p.url)
	})
}

// atOnce has processes draw at once: no number comes twice, and none is skipped.
func atOnce(t *testing.T, url string) {
	const processes, each = 4, 3000
	var outs [processes]said
	var all sync.WaitGroup
	for i := range outs {
		all.Go(func() {
			outs[i] = run(t, url, "gen", "--segment", "all", "--create", "-n", strconv.Itoa(each), "--step", "250")
		})
	}
	all.Wait()
	seen := map[string]bool{}
	for _, s := range outs {
		require.Zero(t, s.code, s.err)
		for _, number := range strings.Fields(s.out) {
			require.False(t, seen[number], "%s comes twice", number)
			seen[number] = true
		}
	}
	require.Len(t, seen, processes*each)
	require.Equal(t, fmt.Sprintln(processes*each+1), run(t, url, "segment", "next", "all").out, "none was skipped")
}
