package redis

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/doctor"
)

var _ doctor.Examiner = (*Store)(nil)

// Examine implements [doctor.Examiner]. It looks at each server that has a namespace, or at the one
// that would have the default namespace.
func (s *Store) Examine(ctx context.Context, cfg doctor.Config) ([]doctor.Finding, error) {
	names, _, err := s.Namespaces(ctx)
	if err != nil && !errors.Is(err, worker.ErrNoNamespace) {
		return nil, err
	}
	if len(names) == 0 {
		names = []string{""}
	}
	var findings []doctor.Finding
	seen := map[string]bool{} // a server, by its history
	for _, name := range names {
		l, err := s.Leases(name)
		if err != nil {
			return nil, err // a name that somebody else has put there
		}
		f, err := s.facts(ctx, l.keys...)
		if err != nil {
			return nil, err
		}
		if seen[f.history] {
			continue
		}
		seen[f.history] = true
		syncs, err := s.syncs(ctx, l.keys[0])
		if err != nil && retry.IsTransient(err) {
			return nil, err
		}
		for _, judge := range []func(facts) doctor.Finding{version, appendOnly, eviction, memory, saving, replicas, rights} {
			findings = append(findings, judge(f))
		}
		findings = append(findings, syncing(syncs["appendfsync"], err))
	}
	if cfg.DurableStore {
		findings = append(findings, doctor.Finding{
			Level: doctor.LevelError, What: "DurableStore", Value: "set",
			Why: "Redis is not durable: " + always + ". Without DurableStore workers make up for that.",
			Do:  "Leave DurableStore out.",
		})
	}
	return findings, nil
}

// syncs asks for the settings that only CONFIG tells: appendfsync and no-appendfsync-on-rewrite.
func (s *Store) syncs(ctx context.Context, key string) (map[string]string, error) {
	const doing = "ask for appendfsync"
	cmd := redis.NewMapStringStringCmd(ctx, "config", "get", "*appendfsync*")
	if err := s.ask(ctx, doing, key, cmd); err != nil {
		return nil, err
	}
	return cmd.Val(), nil
}

// ask sends a command that names no key to the server that has one.
func (s *Store) ask(ctx context.Context, doing, key string, cmd redis.Cmder) error {
	var server redis.UniversalClient = s.client
	if c, is := server.(*redis.ClusterClient); is {
		node, err := c.MasterForKey(ctx, key)
		if err != nil {
			return failed(doing, err)
		}
		server = node
	}
	if err := await(ctx, func() error { return server.Process(ctx, cmd) }); err != nil {
		return failed(doing, err)
	}
	return nil
}

func fine(what, value string) doctor.Finding {
	return doctor.Finding{Level: doctor.LevelOK, What: what, Value: value}
}

func version(f facts) doctor.Finding {
	const what = "server"
	name, v := "Valkey", f.info["valkey_version"]
	if v == "" {
		name, v = "Redis", f.info["redis_version"]
	}
	major, _, _ := strings.Cut(v, ".")
	if n, err := strconv.Atoi(major); err != nil || n < 5 {
		return doctor.Finding{
			Level: doctor.LevelWarn, What: what, Value: strings.TrimSpace(name + " " + v),
			Why: "Servers before version 5 repeat scripts on replicas instead of what the scripts wrote.", Do: "Use a server from version 6 on.",
		}
	}
	return fine(what, name+" "+v)
}

func appendOnly(f facts) doctor.Finding {
	const what = "append-only file"
	switch f.info["aof_enabled"] {
	case "1":
		return fine(what, "on")
	case "0":
		return doctor.Finding{
			Level: doctor.LevelError, What: what, Value: "off", Why: "A restart loses all leases, or those since the last snapshot. Workers refuse to start.",
			Do: "Set appendonly yes, on replicas, too.",
		}
	}
	return doctor.Finding{Level: doctor.LevelNote, What: what, Value: "could not be told", Why: "INFO persistence does not show it.", Do: "Look yourself."}
}

func syncing(value string, err error) doctor.Finding {
	const what = "appendfsync"
	switch {
	case err != nil:
		return doctor.Finding{Level: doctor.LevelNote, What: what, Value: "could not be told", Why: fmt.Sprintf("CONFIG GET fails: %v.", err),
			Do: "Nothing, if it is everysec or always."}
	case value == "no":
		return doctor.Finding{
			Level: doctor.LevelNote, What: what, Value: value,
			Why: "A crash of the machine loses about half a minute of writes. UIDs stay unique, but many workers lose their IDs then, and take others.",
			Do:  "Set appendfsync everysec.",
		}
	}
	return fine(what, value)
}

func eviction(f facts) doctor.Finding {
	const what = "eviction"
	policy, limit := f.evicts()
	switch {
	case policy == "":
		return fine(what, f.info["maxmemory_policy"]) // volatile- policies spare keys without a time to live
	case limit == 0:
		return doctor.Finding{Level: doctor.LevelWarn, What: what, Value: policy, Why: "It drops leases once somebody sets maxmemory.", Do: "Set maxmemory-policy noeviction."}
	}
	return doctor.Finding{
		Level: doctor.LevelError, What: what, Value: fmt.Sprintf("%s at %d bytes", policy, limit),
		Why: "The server drops leases when its memory is full. Workers refuse to start.", Do: "Set maxmemory-policy noeviction, or use a server of its own.",
	}
}

func memory(f facts) doctor.Finding {
	const what = "memory"
	used, err := strconv.ParseInt(f.info["used_memory"], 10, 64)
	limit, err2 := strconv.ParseInt(f.info["maxmemory"], 10, 64)
	switch {
	case err != nil || err2 != nil:
		return doctor.Finding{Level: doctor.LevelNote, What: what, Value: "could not be told", Why: "INFO memory does not show it.", Do: "Look yourself."}
	case limit > 0 && float64(used) > 0.9*float64(limit):
		return doctor.Finding{
			Level: doctor.LevelWarn, What: what, Value: fmt.Sprintf("%d of %d bytes used", used, limit),
			Why: "When it is full the server refuses renewals, and workers run out of ticks.", Do: "Raise maxmemory, or remove other keys.",
		}
	case limit > 0:
		return fine(what, fmt.Sprintf("%d of %d bytes used", used, limit))
	}
	return fine(what, "no limit")
}

func saving(f facts) doctor.Finding {
	const what = "writes to disk"
	for _, name := range []string{"aof_last_write_status", "aof_last_bgrewrite_status"} {
		if v := f.info[name]; v != "" && v != "ok" {
			return doctor.Finding{
				Level: doctor.LevelError, What: what, Value: name + " " + v,
				Why: "The server cannot write its append-only file; it refuses writes, or loses them in a crash.", Do: "Look at its disk and its log.",
			}
		}
	}
	return fine(what, "ok")
}

func replicas(f facts) doctor.Finding {
	const what = "replicas"
	n := f.info["connected_slaves"]
	_, bounded := f.info["min_slaves_good_slaves"] // shown where min-replicas-to-write is set
	value := n
	if bounded {
		value += ", min-replicas-to-write is set"
	}
	switch {
	case n == "" || n == "0" || bounded || f.info["cluster_enabled"] == "1":
		return fine(what, value)
	}
	return doctor.Finding{
		Level: doctor.LevelWarn, What: what, Value: value,
		Why: "If a replica is promoted while this server runs on, cut off from it, both take leases of the same IDs. Nothing makes up for that.",
		Do:  "Set min-replicas-to-write 1 and leave min-replicas-max-lag at 10 s, so that the one that is cut off stops; or see to it that no replica is promoted before this server is down.",
	}
}

func rights(f facts) doctor.Finding {
	const what = "rights"
	switch {
	case len(f.refused) > 0:
		return doctor.Finding{
			Level: doctor.LevelError, What: what, Value: "no " + strings.Join(f.refused, ", "), Why: "Workers need these commands.",
			Do: "Allow them on the keys of leases with ACL SETUSER.",
		}
	case !f.toldRights:
		return doctor.Finding{Level: doctor.LevelNote, What: what, Value: "could not be told", Why: "Servers before version 7 do not say what an account may do.", Do: "Compare them with the package's list."}
	}
	return fine(what, "as needed")
}
