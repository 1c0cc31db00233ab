package cluster

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/uidgen/uid/test/harness"
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
	return startRedis(debianRedis, name, options)
}

// StartValkey starts a server of Debian sid's package; see [FromSid].
func StartValkey(name string, options ...string) (*Redis, error) {
	return startRedis(sidValkey, name, options)
}

// StartRedisPair and StartValkeyPair start a server and a replica that can be promoted.
func StartRedisPair(name string, options ...string) (*Pair, error) {
	return startRedisPair(debianRedis, name, options)
}

func StartValkeyPair(name string, options ...string) (*Pair, error) {
	return startRedisPair(sidValkey, name, options)
}

func debianRedis() (Program, error) {
	path, err := Find("redis-server", "redis-server", "/usr/bin", "/usr/local/bin")
	return Program{Path: path}, err
}

func sidValkey() (Program, error) {
	p, _, err := FromSid("valkey-server")
	return p, err
}

func startRedis(find func() (Program, error), name string, options []string) (*Redis, error) {
	p, err := find()
	if err != nil {
		return nil, err
	}
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
			p.Args = append(p.Args, "--masterauth", value)
		}
		p.Args = append(p.Args, option)
		p.Args = append(p.Args, strings.Fields(value)...)
		if value == "" {
			p.Args = append(p.Args, "")
		}
	}
	p.Ready = func(ctx context.Context) error {
		// The client would log that nobody listens yet.
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.Addr(0))
		if err != nil {
			return err
		}
		conn.Close()
		return r.do(ctx, nil, "ping")
	}
	return orClosed(r, s.Start(p))
}

func startRedisPair(find func() (Program, error), name string, options []string) (*Pair, error) {
	return startPair(name,
		func(name string, _ int) (replica, error) { return startRedis(find, name, options) },
		func(name string, _ int, link *harness.Proxy) (replica, error) {
			_, port, _ := strings.Cut(link.Addr(), ":")
			return startRedis(find, name, append(options[:len(options):len(options)], "--replicaof=127.0.0.1 "+port))
		})
}

// Meet makes other a node of r's Redis Cluster.
func (r *Redis) Meet(ctx context.Context, other *Redis) error {
	return r.do(ctx, nil, "cluster", "meet", "127.0.0.1", other.Port(0), other.Port(1))
}

// URL returns where the server is, at its own address or at that of a proxy.
func (r *Redis) URL(addr string) string {
	if r != nil && r.password != "" {
		return "redis://:" + r.password + "@" + addr + "/0"
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

// do sends a command, on a connection of its own, and reads the answer into answer.
func (r *Redis) do(ctx context.Context, answer *string, args ...any) error {
	c := redis.NewClient(&redis.Options{Addr: r.Addr(0), Password: r.password, MaxRetries: -1, DialerRetries: 1})
	defer func() { _ = c.Close() }()
	v, err := c.Do(ctx, args...).Result()
	if err != nil {
		return fmt.Errorf("cluster: %s: %v: %w", r.Name(), args[0], err)
	}
	if answer != nil {
		*answer = fmt.Sprint(v)
	}
	return nil
}

func (r *Redis) info(section string) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var text string
	err := r.do(ctx, &text, "info", section)
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
	if err != nil {
		return false, err
	}
	has, _ := strconv.ParseInt(info["slave_repl_offset"], 10, 64)
	return info["master_link_status"] == "up" && info["master_sync_in_progress"] == "0" && has >= at, nil
}

func (r *Redis) promote() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := r.do(ctx, nil, "replicaof", "no", "one"); err != nil {
		return err
	}
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		info, err := r.info("replication")
		if err != nil || info["role"] == "master" {
			return err
		}
		if time.Since(began) > patience {
			return fmt.Errorf("cluster: %s is not promoted after %v", r.Name(), patience)
		}
	}
}
