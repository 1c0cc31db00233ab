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

// facts are what a server says of itself.
type facts struct {
	history    string
	info       map[string]string
	refused    []string // commands that the account may not use
	toldRights bool     // the server knows them; it does from version 7 on
}

// facts asks the server that has the keys. It looks at the account's rights if the keys are those of
// a namespace.
func (d *driver) facts(ctx context.Context, keys ...string) (f facts, err error) {
	a, _, err := d.run(ctx, inspectScript, false, keys)
	if err != nil {
		return f, err
	}
	f.history = a.clock.History
	for list := a.list(); len(list.values) > 0; {
		f.refused = append(f.refused, list.text())
	}
	f.toldRights = a.number() == 1
	f.info = fields(a.text())
	return f, a.err()
}

// evicts returns the policy by which the server drops keys that have no time to live, as those of
// leases and segments, when its memory is full; "" for none.
func (f facts) evicts() (policy string, limit int64) {
	limit, _ = strconv.ParseInt(f.info["maxmemory"], 10, 64)
	if policy = f.info["maxmemory_policy"]; !strings.HasPrefix(policy, "allkeys-") {
		policy = ""
	}
	return policy, limit
}

const (
	lacks = "a replica that takes over lacks what it was not sent yet"
	// always is why no Redis server is durable.
	always = lacks + ", and unless appendfsync is always a crash loses the last writes"
	untold = "the server does not say whether it has an append-only file"
)

// Inspect implements [stores.Inspector]. For leases it refuses a server that keeps no append-only file, one
// that drops keys without a time to live when its memory is full, and an account that lacks a right. Of all
// others it says that they can lose writes. For segments see [driver.lossy].
func (d *driver) Inspect(ctx context.Context, key string) (lossy []string, err error) {
	k, _ := stores.ParseKey(key)
	if k.Tag != "" {
		return d.lossy(ctx)
	}
	f, err := d.facts(ctx, d.keys(k.Namespace)...)
	if err != nil {
		return nil, err
	}
	policy, limit := f.evicts()
	switch {
	case len(f.refused) > 0:
		return nil, fmt.Errorf("%w: this account may not use the Redis commands %s on keys %s:*", uid.ErrConfig,
			strings.Join(f.refused, ", "), d.prefix)
	case f.info["aof_enabled"] == "0":
		return nil, fmt.Errorf("%w: the Redis server has no append-only file (appendonly no): a restart would lose "+
			"all leases, or those since its last snapshot", uid.ErrConfig)
	case policy != "" && limit > 0:
		return nil, fmt.Errorf("%w: the Redis server drops keys when %d bytes are used (maxmemory-policy %s): leases "+
			"need noeviction or a volatile- policy", uid.ErrConfig, limit, policy)
	}
	lossy = []string{always}
	if f.info["aof_enabled"] != "1" {
		lossy = append(lossy, untold)
	}
	return lossy, nil
}

// lossy names what the server can lose numbers by that it has given out: a restart without an append-only
// file, a crash before that is synced, eviction, and another server that takes over (a replica, Sentinel,
// Redis Cluster). What the server does not tell is among them: let the account run config|get and
// pubsub|numsub. Of a cluster it asks the server that has the index.
func (d *driver) lossy(ctx context.Context) (lossy []string, err error) {
	f, err := d.facts(ctx, d.tags())
	if err != nil {
		return nil, err
	}
	syncs, err := d.syncs(ctx, d.tags())
	if retry.IsTransient(err) {
		return nil, err
	}
	sentinels := redis.NewMapStringIntCmd(ctx, "pubsub", "numsub", hello)
	unasked := d.ask(ctx, d.tags(), sentinels)
	if retry.IsTransient(unasked) {
		return nil, unasked
	}
	policy, limit := f.evicts()
	file, when := f.info["aof_enabled"], syncs["appendfsync"]
	replicas, cluster := f.info["connected_slaves"], f.info["cluster_enabled"]
	for _, c := range []struct {
		is   bool
		says string
	}{
		{file == "0", "the server has no append-only file (appendonly no): a restart loses what was given out since " +
			"its last snapshot, or ever"},
		{file != "0" && file != "1", untold},
		{file == "1" && when == "", "the server does not say whether appendfsync is always (CONFIG GET)"},
		{file == "1" && when != "" && when != "always",
			fmt.Sprintf("appendfsync is %.20s, not always: a crash loses the last writes", when)},
		{file == "1" && syncs["no-appendfsync-on-rewrite"] == "yes",
			"no-appendfsync-on-rewrite is yes: a crash while the server writes a snapshot, " +
				"or its append-only file anew, loses what was written since that began"},
		{policy != "" && limit > 0,
			fmt.Sprintf("the server drops counters when %d bytes are used (maxmemory-policy %s)", limit, policy)},
		{replicas == "", "the server does not say how many replicas it has"},
		{replicas != "" && replicas != "0", fmt.Sprintf("the server has replicas (%.20s): one that takes over lacks "+
			"what it was not sent yet", replicas)},
		{cluster == "1", "the server is of a Redis Cluster: " + lacks},
		{cluster != "0" && cluster != "1", "the server does not say whether it is of a Redis Cluster"},
		{cluster == "0" && unasked != nil, "the server does not say whether Sentinel watches it (PUBSUB NUMSUB)"},
		{cluster == "0" && sentinels.Val()[hello] > 0, "Sentinel watches the server: " + lacks},
	} {
		if c.is {
			lossy = append(lossy, c.says)
		}
	}
	return lossy, nil
}

// hello is the channel in which all Sentinels that watch a server listen.
const hello = "__sentinel__:hello"

// syncs asks for the settings that only CONFIG tells: appendfsync and no-appendfsync-on-rewrite.
func (d *driver) syncs(ctx context.Context, key string) (map[string]string, error) {
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

// Examine implements [doctor.Examiner]. It looks at each server that has a namespace, or at the one
// that would have the default namespace.
func (d *driver) Examine(ctx context.Context, _ doctor.Config) (findings []doctor.Finding, err error) {
	names, _, err := stores.New(d).Registry().Namespaces(ctx)
	if err != nil && !errors.Is(err, worker.ErrNoNamespace) {
		return nil, err
	}
	if len(names) == 0 {
		names = []string{"default"}
	}
	seen := map[string]bool{} // a server, by its history
	for _, name := range names {
		f, err := d.facts(ctx, d.keys(name)...)
		if err != nil {
			return nil, err
		}
		if seen[f.history] {
			continue
		}
		seen[f.history] = true
		syncs, err := d.syncs(ctx, d.keys(name)[0])
		if retry.IsTransient(err) {
			return nil, err
		}
		findings = append(findings, f.findings(syncs["appendfsync"], err)...)
	}
	return findings, nil
}

const note, warn, bad = doctor.LevelNote, doctor.LevelWarn, doctor.LevelError

// findings judges a server. unsynced is why it does not tell appendfsync.
func (f facts) findings(appendfsync string, unsynced error) []doctor.Finding {
	const notTold = "could not be told"
	name, version := "Valkey", f.info["valkey_version"]
	if version == "" {
		name, version = "Redis", f.info["redis_version"]
	}
	major, _, _ := strings.Cut(version, ".")
	number, unknown := strconv.Atoi(major)
	policy, limit := f.evicts() // a volatile- policy spares keys without a time to live
	used, noUse := strconv.ParseInt(f.info["used_memory"], 10, 64)
	_, noLimit := strconv.ParseInt(f.info["maxmemory"], 10, 64)
	failed := ""
	for _, name := range []string{"aof_last_write_status", "aof_last_bgrewrite_status"} {
		if v := f.info[name]; v != "" && v != "ok" {
			failed = name + " " + v
		}
	}
	replicas := cmp.Or(f.info["connected_slaves"], "0")
	_, bounded := f.info["min_slaves_good_slaves"] // shown where min-replicas-to-write is set
	return []doctor.Finding{
		doctor.Fine("server", name+" "+version).
			But(unknown != nil || number < 5, warn, "",
				"Servers before version 5 repeat scripts on replicas instead of what the scripts wrote.",
				"Use a server from version 6 on."),
		doctor.Fine("append-only file", "on").
			But(f.info["aof_enabled"] == "0", bad, "off", "A restart loses all leases, or those since the last "+
				"snapshot. Workers refuse to start.", "Set appendonly yes, on replicas, too.").
			But(f.info["aof_enabled"] != "1", note, notTold, "INFO persistence does not show it.", "Look yourself."),
		doctor.Fine("eviction", cmp.Or(f.info["maxmemory_policy"], notTold)).
			But(policy != "" && limit == 0, warn, "", "It drops leases once somebody sets maxmemory.",
				"Set maxmemory-policy noeviction.").
			But(policy != "", bad, fmt.Sprintf("%s at %d bytes", policy, limit),
				"The server drops leases when its memory is full. Workers refuse to start.",
				"Set maxmemory-policy noeviction, or use a server of its own."),
		doctor.Fine("memory", fmt.Sprintf("%d bytes used, the limit is %d (0 for none)", used, limit)).
			But(noUse != nil || noLimit != nil, note, notTold, "INFO memory does not show it.", "Look yourself.").
			But(limit > 0 && float64(used) > 0.9*float64(limit), warn, fmt.Sprintf("%d of %d bytes used", used, limit),
				"When it is full the server refuses renewals, and workers run out of ticks.",
				"Raise maxmemory, or remove other keys."),
		doctor.Fine("writes to disk", "ok").
			But(failed != "", bad, failed, "The server cannot write its append-only file; it refuses writes, or "+
				"loses them in a crash.", "Look at its disk and its log."),
		// A server that is cut off from its replicas is to stop.
		doctor.Fine("replicas", replicas).
			But(replicas != "0" && !bounded && f.info["cluster_enabled"] != "1", warn, "",
				"If a replica is promoted while this server runs on, cut off from it, "+
					"both take leases of the same IDs. Nothing makes up for that.",
				"Set min-replicas-to-write 1 and leave min-replicas-max-lag at 10 s, so that the one that is cut off "+
					"stops; or see to it that no replica is promoted before this server is down."),
		doctor.Fine("rights", "as needed").
			But(len(f.refused) > 0, bad, "no "+strings.Join(f.refused, ", "), "Workers need these commands.",
				"Allow them on the keys of leases with ACL SETUSER.").
			But(!f.toldRights, note, notTold, "Servers before version 7 do not say what an account may do.",
				"Compare them with the package's list."),
		doctor.Fine("appendfsync", appendfsync).
			But(unsynced != nil, note, notTold, fmt.Sprintf("CONFIG GET fails: %v.", unsynced),
				"Nothing, if it is everysec or always.").
			But(appendfsync == "no", note, "", "A crash of the machine loses about half a minute of writes. UIDs "+
				"stay unique, but workers begin ahead of the clock then.", "Set appendfsync everysec."),
	}
}
