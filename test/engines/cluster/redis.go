package cluster

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// A Redis is a private Redis or Valkey server, with an append-only file that is written to disk
// each second, as by default, and neither accounts nor snapshots, unless options say otherwise.
type Redis struct {
	*Server
	password string
}

// StartRedis starts a server of the machine's package. Options are of the form "--name=value";
// later ones win. With --requirepass=word the server's own clients give that password.
func StartRedis(name string, options ...string) (*Redis, error) {
	path, err := Find("redis-server", "redis-server", "/usr/bin", "/usr/local/bin")
	if err != nil {
		return nil, err
	}
	return startRedis(name, Program{Path: path}, options)
}

// StartValkey starts a server of Debian sid's package; see [FromSid].
func StartValkey(name string, options ...string) (*Redis, error) {
	p, _, err := FromSid("valkey-server")
	if err != nil {
		return nil, err
	}
	return startRedis(name, p, options)
}

// StartRedisPair and StartValkeyPair start a server and a replica that can be promoted.
func StartRedisPair(name string, options ...string) (*Pair, error) {
	return startRedisPair(name, StartRedis, options)
}

func StartValkeyPair(name string, options ...string) (*Pair, error) {
	return startRedisPair(name, StartValkey, options)
}

func startRedisPair(name string, start func(string, ...string) (*Redis, error), options []string) (*Pair, error) {
	return startPair(name, func(name string, _ int, primary string) (replica, error) {
		all := options
		if primary != "" {
			all = append([]string{"--replicaof=" + strings.Replace(primary, ":", " ", 1)}, options...)
		}
		return start(name, all...)
	})
}

func startRedis(name string, p Program, options []string) (*Redis, error) {
	s, err := New(name, 2)
	if err != nil {
		return nil, err
	}
	r := &Redis{Server: s}
	all := []string{
		"--port=" + strconv.Itoa(s.Port(0)), "--cluster-port=" + strconv.Itoa(s.Port(1)), "--bind=127.0.0.1",
		"--dir=" + s.Path(), "--appendonly=yes", "--save=",
		"--repl-diskless-sync-delay=0", "--repl-timeout=60", "--shutdown-on-sigterm=force",
	}
	for _, option := range append(all, options...) {
		option, value, _ := strings.Cut(option, "=")
		if option == "--requirepass" {
			r.password = value
			p = p.with("--masterauth", value)
		}
		words := strings.Fields(value)
		if value == "" {
			words = []string{""}
		}
		p = p.with(option).with(words...)
	}
	p.Ready = func(ctx context.Context) error {
		// The client would log that nobody listens yet.
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.Addr(0))
		if err != nil {
			return err
		}
		conn.Close()
		_, err = r.do(ctx, "ping")
		return err
	}
	return orClosed(r, s.Start(p))
}

// Meet makes other a node of r's Redis Cluster.
func (r *Redis) Meet(ctx context.Context, other *Redis) error {
	_, err := r.do(ctx, "cluster", "meet", "127.0.0.1", other.Port(0), other.Port(1))
	return err
}

// URL returns where the server is, at its own address or at that of a proxy.
func (r *Redis) URL(addr string) string {
	if r.password != "" {
		addr = ":" + r.password + "@" + addr
	}
	return "redis://" + addr + "/0"
}

// Version returns the server's kind and version.
func (r *Redis) Version() (string, error) {
	info, err := r.info("server")
	if v := info["valkey_version"]; v != "" {
		return "Valkey " + v, err
	}
	return "Redis " + info["redis_version"], err
}

// do sends a command, on a connection of its own, and returns the answer.
func (r *Redis) do(ctx context.Context, args ...any) (answer string, err error) {
	c := redis.NewClient(&redis.Options{Addr: r.Addr(0), Password: r.password, MaxRetries: -1, DialerRetries: 1})
	defer func() { _ = c.Close() }()
	answer, err = c.Do(ctx, args...).Text()
	if err != nil {
		err = r.failed(fmt.Errorf("%v: %w", args[0], err))
	}
	return answer, err
}

// info returns what the server says of itself.
func (r *Redis) info(section string) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	text, err := r.do(ctx, "info", section)
	all := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		all[name] = value
	}
	return all, err
}

func (r *Redis) position() (string, error) {
	info, err := r.info("replication")
	return info["master_repl_offset"], err
}

func (r *Redis) reached(position string) (bool, error) {
	info, err := r.info("replication")
	if err != nil {
		return false, err
	}
	at, err := strconv.ParseInt(position, 10, 64)
	has, _ := strconv.ParseInt(info["slave_repl_offset"], 10, 64)
	return info["master_link_status"] == "up" && info["master_sync_in_progress"] == "0" && has >= at, err
}

func (r *Redis) promote() error {
	_, err := r.do(context.Background(), "replicaof", "no", "one")
	return err
}
