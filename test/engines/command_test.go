package engines_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
	sharedKubernetes = cluster.Share(func() (*cluster.Kubernetes, error) {
		return cluster.StartKubernetes("command", 1)
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
	"kubernetes": func(t *testing.T) place {
		k := sharedKubernetes(t)
		n := must(k.NewTenant(t.Context(), ""))
		wrong := n
		wrong.Token = filepath.Join(t.TempDir(), "token")
		require.NoError(t, os.WriteFile(wrong.Token, []byte(canary), 0o600))
		addr := k.Servers[0].Addr(0)
		return place{url: n.URL(addr), wrong: wrong.URL(addr)}
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

// A step is a call of the command, in whose arguments ~ stands for a space: its exit code, and what it says, as a
// regular expression for its standard output, or with code 1 for both outputs.
type step struct {
	args string
	code int
	says string
}

// eachPlace runs a test on an empty store of each engine. do takes steps one after another, and returns the last
// standard output.
func eachPlace(t *testing.T, test func(t *testing.T, p place, do func(...step) string)) {
	for name, start := range places {
		t.Run(name, func(t *testing.T) {
			p := start(t)
			test(t, p, func(steps ...step) (out string) {
				t.Helper()
				for _, c := range steps {
					args := strings.Fields(c.args)
					for i := range args {
						args[i] = strings.ReplaceAll(args[i], "~", " ")
					}
					s := run(t, p.url, args...)
					require.Equal(t, c.code, s.code, "%v: %s%s", args, s.out, s.err)
					if c.code != 0 {
						s.out += s.err
					}
					require.Regexp(t, c.says, s.out, c.args)
					out = s.out
				}
				return out
			})
		})
	}
}

func TestCommand(t *testing.T) {
	eachPlace(t, func(t *testing.T, p place, do func(...step) string) {
		do(step{"worker ls", 0, `^$`})
		require.Contains(t, run(t, p.url, "worker", "check", "--json").out, `"what":"clocks"`)
		if !p.sql {
			do(step{"gen -n 1", 1, "this makes it, once: uid worker init --namespace default"})
		}
		do(
			step{"worker init --ids 4-6", 0, "with the worker IDs 4 to 6"},
			step{"worker init --namespace shop --layout twitter", 0, `namespace "shop" is in`},
			step{"worker init --namespace shop --layout twitter", 0, ""},
			step{"worker init --namespace shop", 1, "another layout"},
			step{"worker init --ids 0-3", 1, "4 to 6"},
		)
		uids := map[string]bool{}
		for range 2 {
			for _, id := range strings.Fields(do(step{"gen -n 1000", 0, ""})) {
				require.False(t, uids[id], "%s comes twice", id)
				uids[id] = true
			}
		}
		require.Len(t, uids, 2000)

		rows := do(step{"worker ls --json", 0, `"namespace":"default".*"range":"4-6"`})
		require.Equal(t, 2, strings.Count(rows, `"kind":"namespace"`))
		if p.sql {
			require.Equal(t, 1, strings.Count(rows, `"kind":"disposable"`))
			return
		}
		require.Equal(t, 2, strings.Count(rows, `"kind":"lease"`), "one a run: an ID rests before the next lease")
		do(
			step{"worker ls", 0, "released, in quarantine"},
			step{"worker release default/4", 0, "it was released already"},
			step{"worker release default/7", 1, "no such lease"},
			step{"worker check --json", 0, `1 can be leased, of 3 \(the worker IDs 4 to 6\)`},
		)
	})
}

// What is said when a server refuses, or none is there.
func TestCommandRefused(t *testing.T) {
	eachPlace(t, func(t *testing.T, p place, _ func(...step) string) {
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
	const none = `the store has no such tag: "invoice"; `
	const large = "4611686018427387905" // which is no float
	eachPlace(t, func(t *testing.T, p place, do func(...step) string) {
		for range 2 { // an empty store stays so
			do(
				step{"segment ls", 0, `^$`},
				step{"segment next invoice", 1, none + "uid segment set --create makes it"},
				step{"gen --segment invoice", 1, none + "--create makes it"},
				step{"segment set invoice --next 5", 1, none + "--create makes it"},
				step{"segment ls --json", 0, `^$`},
			)
		}
		do(
			step{"segment set invoice --create -v", 0, `^tag "invoice": the next number is 1, the step 1\n$`},
			step{"segment next invoice -v", 0, `^1\n$`},
			step{"segment next invoice -n 3", 0, `^2\n3\n4\n$`},
			step{"segment set invoice --step 1000 --description Bücher~&~\"more\" --create", 0, ""},
			step{"gen --segment invoice -v", 0, `^5\n6\n7\n8\n9\n$`},
			step{"segment set invoice --next 9", 1, "was 10, and 9 is below"},
			step{"segment set invoice --next " + large, 0, ""},
			step{"segment next invoice", 0, "^" + large + `\n$`},
			step{"segment set invoice --next 10 --lower", 0, `^tag "invoice": the next number is 10, the step 1000\n$`},
			step{"segment next invoice", 0, `^10\n$`},
			step{"gen --segment order~no.~1: --daily -n 2 --zone Europe/Berlin", 0, `^\d{8}-000001\n\d{8}-00000\d\n$`},
			step{"gen --segment a --create -n 1", 0, `^1\n$`},
			step{"segment ls --json", 0, `(?s)^{"tag":"a",.*` +
				`{"tag":"invoice","next":"11","step":1000,"updated":"[^"]+",` +
				`"description":"Bücher \\u0026 \\"more\\""}.*` +
				`{"tag":"order no. 1:/\d{8}"`},
			step{"segment ls a invoice", 0, "Bücher"},
			step{"segment ls a b", 1, `no such tag: "b"`},
		)
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
