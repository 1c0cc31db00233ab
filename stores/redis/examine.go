package redis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/worker"
)

// serverInfo is what a server tells about itself.
type serverInfo struct {
	history     string
	info        map[string]string // of INFO
	refused     []string          // commands that the account may not use
	knowsRights bool              // a server knows refused from version 7 on
}

// serverInfo asks the server that has the keys. It looks at the account's rights if the keys are those of
// a namespace.
func (d *driver) serverInfo(ctx context.Context, keys ...string) (s serverInfo, err error) {
	a, _, err := d.run(ctx, inspectScript, false, keys)
	if err != nil {
		return s, err
	}
	s.history = a.clock.History
	for list := a.list(); len(list.values) > 0; {
		s.refused = append(s.refused, list.text())
	}
	s.knowsRights = a.number() == 1
	s.info = fields(a.text())
	return s, a.err()
}

// eviction returns the policy by which the server drops keys without a time to live, such as leases and segments, when
// its memory is full, and the limit; "" for none.
func (s serverInfo) eviction() (policy string, limit int64) {
	limit, _ = strconv.ParseInt(s.info["maxmemory"], 10, 64)
	if policy = s.info["maxmemory_policy"]; !strings.HasPrefix(policy, "allkeys-") {
		policy = ""
	}
	return policy, limit
}

const (
	lacks = "a replica that takes over lacks the newest writes"
	// always is why no Redis server is durable.
	always    = lacks + ", and unless appendfsync is always a crash loses the last writes"
	noFileSay = "the server does not tell whether it has an append-only file"
)

// Inspect implements [stores.Inspector]. For leases it refuses a server without an append-only file, one that drops
// keys without a time to live when its memory is full, and an account that lacks a right; all others can lose writes.
// For segments see [driver.segmentLosses].
func (d *driver) Inspect(ctx context.Context, key string) (lossy []string, err error) {
	k, _ := stores.ParseKey(key)
	if k.Tag != "" {
		return d.segmentLosses(ctx)
	}
	s, err := d.serverInfo(ctx, d.keys(k.Namespace)...)
	if err != nil {
		return nil, err
	}
	policy, limit := s.eviction()
	switch {
	case len(s.refused) > 0:
		return nil, fmt.Errorf("%w: this account may not use the Redis commands %s on keys %s:*", uid.ErrConfig,
			strings.Join(s.refused, ", "), d.prefix)
	case s.info["aof_enabled"] == "0":
		return nil, fmt.Errorf("%w: the Redis server has no append-only file (appendonly no): a restart would lose "+
			"all leases, or those since its last snapshot", uid.ErrConfig)
	case policy != "" && limit > 0:
		return nil, fmt.Errorf("%w: the Redis server drops keys when %d bytes are used (maxmemory-policy %s): leases "+
			"need noeviction or a volatile- policy", uid.ErrConfig, limit, policy)
	case s.info["aof_enabled"] != "1":
		return []string{always, noFileSay}, nil
	}
	return []string{always}, nil
}

// segmentLosses lists how the server can lose numbers that it has given out: a restart without an append-only file, a
// crash before that is synced, eviction, and a takeover by another server (a replica, Sentinel, Redis Cluster). The
// list has also what the server does not tell: let the account use config|get and pubsub|numsub. In a cluster it asks
// the server that has the index.
func (d *driver) segmentLosses(ctx context.Context) (lossy []string, err error) {
	s, err := d.serverInfo(ctx, d.tags())
	if err != nil {
		return nil, err
	}
	syncs, err := d.syncSettings(ctx, d.tags())
	if retry.IsTransient(err) {
		return nil, err
	}
	sentinels := redis.NewMapStringIntCmd(ctx, "pubsub", "numsub", hello)
	unasked := d.ask(ctx, d.tags(), sentinels)
	if retry.IsTransient(unasked) {
		return nil, unasked
	}
	policy, limit := s.eviction()
	file, when := s.info["aof_enabled"], syncs["appendfsync"]
	replicas, cluster := s.info["connected_slaves"], s.info["cluster_enabled"]
	for _, c := range []struct {
		is   bool
		says string
	}{
		{file == "0", "the server has no append-only file (appendonly no): a restart loses the numbers since its " +
			"last snapshot, or all"},
		{file != "0" && file != "1", noFileSay},
		{file == "1" && when == "", "the server does not tell whether appendfsync is always (CONFIG GET)"},
		{file == "1" && when != "" && when != "always",
			fmt.Sprintf("appendfsync is %.20s, not always: a crash loses the last writes", when)},
		{file == "1" && syncs["no-appendfsync-on-rewrite"] == "yes", "no-appendfsync-on-rewrite is yes: a crash " +
			"while the server writes a snapshot, or its append-only file anew, loses all writes since that began"},
		{policy != "" && limit > 0,
			fmt.Sprintf("the server drops counters when %d bytes are used (maxmemory-policy %s)", limit, policy)},
		{replicas == "", "the server does not tell how many replicas it has"},
		{replicas != "" && replicas != "0", fmt.Sprintf("the server has replicas (%.20s): ", replicas) + lacks},
		{cluster == "1", "the server is of a Redis Cluster: " + lacks},
		{cluster != "0" && cluster != "1", "the server does not tell whether it is of a Redis Cluster"},
		{cluster == "0" && unasked != nil, "the server does not tell whether Sentinel watches it (PUBSUB NUMSUB)"},
		{cluster == "0" && sentinels.Val()[hello] > 0, "Sentinel watches the server: " + lacks},
	} {
		if c.is {
			lossy = append(lossy, c.says)
		}
	}
	return lossy, nil
}

// hello is the channel on which all Sentinels that watch a server listen.
const hello = "__sentinel__:hello"

// syncSettings asks for appendfsync and no-appendfsync-on-rewrite, which only CONFIG tells.
func (d *driver) syncSettings(ctx context.Context, key string) (map[string]string, error) {
	cmd := redis.NewMapStringStringCmd(ctx, "config", "get", "*appendfsync*")
	if err := d.ask(ctx, key, cmd); err != nil {
		return nil, err // the client may still write the value
	}
	return cmd.Val(), nil
}

// ask sends a command that names no key to the server that has one.
func (d *driver) ask(ctx context.Context, key string, cmd redis.Cmder) error {
	var server redis.UniversalClient = d.client
	if c, is := server.(*redis.ClusterClient); is {
		node, err := c.MasterForKey(ctx, key)
		if err != nil {
			return failed(err)
		}
		server = node
	}
	return failed(await(ctx, func() error { return server.Process(ctx, cmd) }))
}

// Examine implements [doctor.Examiner]. It looks at each server that has a namespace, or at the one that would have the
// default namespace.
func (d *driver) Examine(ctx context.Context, _ doctor.Config) (findings []doctor.Finding, err error) {
	names, _, err := stores.New(d).Registry().Namespaces(ctx)
	if err != nil && !errors.Is(err, worker.ErrNoNamespace) {
		return nil, err
	}
	if len(names) == 0 {
		names = []string{"default"}
	}
	seen := map[string]bool{} // servers, by their histories
	for _, name := range names {
		s, err := d.serverInfo(ctx, d.keys(name)...)
		if err != nil {
			return nil, err
		}
		if seen[s.history] {
			continue
		}
		seen[s.history] = true
		syncs, err := d.syncSettings(ctx, d.keys(name)[0])
		if retry.IsTransient(err) {
			return nil, err
		}
		findings = append(findings, s.findings(syncs["appendfsync"], err)...)
	}
	return findings, nil
}

const note, warn, bad = doctor.LevelNote, doctor.LevelWarn, doctor.LevelError

// findings judges a server. unsynced is the error of asking for appendfsync.
func (s serverInfo) findings(appendfsync string, unsynced error) []doctor.Finding {
	const unknown = "could not be told"
	name, version := "Valkey", s.info["valkey_version"]
	if version == "" {
		name, version = "Redis", s.info["redis_version"]
	}
	major, _, _ := strings.Cut(version, ".")
	number, noNumber := strconv.Atoi(major)
	policy, limit := s.eviction() // a volatile- policy spares keys without a time to live
	used, noUse := strconv.ParseInt(s.info["used_memory"], 10, 64)
	_, noLimit := strconv.ParseInt(s.info["maxmemory"], 10, 64)
	failed := ""
	for _, name := range []string{"aof_last_write_status", "aof_last_bgrewrite_status"} {
		if v := s.info[name]; v != "" && v != "ok" {
			failed = name + " " + v
		}
	}
	replicas := cmp.Or(s.info["connected_slaves"], "0")
	_, bounded := s.info["min_slaves_good_slaves"] // shown where min-replicas-to-write is set
	return []doctor.Finding{
		doctor.Fine("server", name+" "+version).
			But(noNumber != nil || number < 5, warn, "", "Servers before version 5 repeat scripts on replicas, not "+
				"the scripts' writes.", "Use a server from version 6 on."),
		doctor.Fine("append-only file", "on").
			But(s.info["aof_enabled"] == "0", bad, "off", "A restart loses all leases, or those since the last "+
				"snapshot. Workers refuse to start.", "Set appendonly yes, on replicas, too.").
			But(s.info["aof_enabled"] != "1", note, unknown, "INFO persistence does not show it.",
				"Check it yourself."),
		doctor.Fine("eviction", cmp.Or(s.info["maxmemory_policy"], unknown)).
			But(policy != "" && limit == 0, warn, "", "It drops leases once somebody sets maxmemory.",
				"Set maxmemory-policy noeviction.").
			But(policy != "", bad, fmt.Sprintf("%s at %d bytes", policy, limit), "The server drops leases when its "+
				"memory is full. Workers refuse to start.", "Set maxmemory-policy noeviction, or use a server of its "+
				"own."),
		doctor.Fine("memory", fmt.Sprintf("%d bytes used, the limit is %d (0 for none)", used, limit)).
			But(noUse != nil || noLimit != nil, note, unknown, "INFO memory does not show it.", "Check it yourself.").
			But(limit > 0 && float64(used) > 0.9*float64(limit), warn, fmt.Sprintf("%d of %d bytes used", used, limit),
				"When it is full the server refuses renewals, and workers run out of ticks.",
				"Raise maxmemory, or remove other keys."),
		doctor.Fine("writes to disk", "ok").
			But(failed != "", bad, failed, "The server cannot write its append-only file; it refuses writes, or loses "+
				"them in a crash.", "Check its disk and its log."),
		// A server that is cut off from its replicas has to stop.
		doctor.Fine("replicas", replicas).
			But(replicas != "0" && !bounded && s.info["cluster_enabled"] != "1", warn, "", "If a replica is promoted "+
				"while this server still runs, cut off from it, both lease out the same IDs. Nothing makes up for "+
				"that.", "Set min-replicas-to-write 1 and leave min-replicas-max-lag at 10 s, so that a server that "+
				"is cut off stops; or promote no replica before this server is down."),
		doctor.Fine("rights", "as needed").
			But(len(s.refused) > 0, bad, "no "+strings.Join(s.refused, ", "), "Workers need these commands.",
				"Allow them on the keys of leases with ACL SETUSER.").
			But(!s.knowsRights, note, unknown, "Servers before version 7 do not tell an account's rights.",
				"Compare them with the package's list."),
		doctor.Fine("appendfsync", appendfsync).
			But(unsynced != nil, note, unknown, fmt.Sprintf("CONFIG GET fails: %v.", unsynced),
				"Nothing, if it is everysec or always.").
			But(appendfsync == "no", note, "", "A crash of the machine loses about half a minute of writes. UIDs stay "+
				"unique, but workers then begin ahead of the clock.", "Set appendfsync everysec."),
	}
}
