package redis

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/uidgen/uid/internal/retry"
)

// Inspect implements [segment.Store]. It names what the server can lose numbers by that it has
// given out: a restart without an append-only file, a crash before that is synced, eviction, and
// another server that takes over (a replica, Sentinel, Redis Cluster). What the server does not
// tell is among them: let the account run config|get and pubsub|numsub. Of a cluster it asks the
// server that has the index.
func (s *Segments) Inspect(ctx context.Context) (lossy []string, err error) {
	f, err := s.store.facts(ctx, s.index())
	if err != nil {
		return nil, err
	}
	say := func(format string, args ...any) { lossy = append(lossy, fmt.Sprintf(format, args...)) }
	switch f.info["aof_enabled"] {
	case "1":
		if err := s.inspectSyncs(ctx, say); err != nil {
			return nil, err
		}
	case "0":
		say("the server has no append-only file (appendonly no): a restart loses what was given out since its last snapshot, or ever")
	default:
		say("the server does not say whether it has an append-only file")
	}
	if policy, limit := f.evicts(); policy != "" && limit > 0 {
		say("the server drops counters when %d bytes are used (maxmemory-policy %s)", limit, policy)
	}
	switch n := f.info["connected_slaves"]; n {
	case "0":
	case "":
		say("the server does not say how many replicas it has")
	default:
		say("the server has replicas (%.20s): one that takes over lacks what it was not sent yet", n)
	}
	switch f.info["cluster_enabled"] {
	case "0":
		if err := s.inspectSentinel(ctx, say); err != nil {
			return nil, err
		}
	case "1":
		say("the server is of a Redis Cluster: a replica that takes over lacks what it was not sent yet")
	default:
		say("the server does not say whether it is of a Redis Cluster")
	}
	return lossy, nil
}

// inspectSyncs looks at when the append-only file is synced.
func (s *Segments) inspectSyncs(ctx context.Context, say func(format string, args ...any)) error {
	syncs, err := s.store.syncs(ctx, s.index())
	if retry.IsTransient(err) {
		return err
	}
	switch when := syncs["appendfsync"]; when {
	case "always":
	case "":
		say("the server does not say whether appendfsync is always (CONFIG GET)")
	default:
		say("appendfsync is %.20s, not always: a crash loses the last writes", when)
	}
	if syncs["no-appendfsync-on-rewrite"] == "yes" {
		say("no-appendfsync-on-rewrite is yes: a crash while the server writes a snapshot, or its append-only file anew, loses what was written since that began")
	}
	return nil
}

// hello is the channel in which all Sentinels that watch a server listen.
const hello = "__sentinel__:hello"

// inspectSentinel looks for Sentinels.
func (s *Segments) inspectSentinel(ctx context.Context, say func(format string, args ...any)) error {
	cmd := redis.NewMapStringIntCmd(ctx, "pubsub", "numsub", hello)
	err := s.store.ask(ctx, "look for Sentinels", s.index(), cmd)
	switch {
	case retry.IsTransient(err):
		return err
	case err != nil:
		say("the server does not say whether Sentinel watches it (PUBSUB NUMSUB)")
	case cmd.Val()[hello] > 0:
		say("Sentinel watches the server: a replica that takes over lacks what it was not sent yet")
	}
	return nil
}
