package redis

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/uidgen/uid"
)

// facts are what a server says of itself.
type facts struct {
	state
	info       map[string]string
	refused    []string // commands that the account may not use
	toldRights bool     // the server knows them; it does from version 7 on
}

// facts asks the server that has the keys. It looks at the account's rights if the keys are those of
// a namespace.
func (s *Store) facts(ctx context.Context, keys ...string) (f facts, err error) {
	const doing = "ask for the server's settings"
	a, err := s.read(ctx, doing, inspectScript, keys)
	if err != nil {
		return f, err
	}
	f.state = a.state
	list := a.list()
	for len(list.values) > 0 {
		f.refused = append(f.refused, strings.ToLower(list.text()))
	}
	a.err = list.err
	f.toldRights = a.number() == 1
	f.info = fields(a.text())
	return f, a.done(doing)
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

// always is why no Redis server is durable.
const always = "a replica that takes over lacks what it was not sent yet, and unless appendfsync is always a crash loses the last writes"

// Inspect implements [lease.Store]. It refuses a server that keeps no append-only file, one that
// drops keys without a time to live when its memory is full, and an account that lacks a right.
// Of all others it says that they can lose writes.
func (l *Leases) Inspect(ctx context.Context) (lossy []string, err error) {
	f, err := l.store.facts(ctx, l.keys...)
	if err != nil {
		return nil, err
	}
	policy, limit := f.evicts()
	switch {
	case len(f.refused) > 0:
		return nil, fmt.Errorf("%w: this account may not use the Redis commands %s on keys %s:*", uid.ErrConfig, strings.Join(f.refused, ", "), l.store.prefix)
	case f.info["aof_enabled"] == "0":
		return nil, fmt.Errorf("%w: the Redis server has no append-only file (appendonly no): a restart would lose all leases, or those since its last snapshot", uid.ErrConfig)
	case policy != "" && limit > 0:
		return nil, fmt.Errorf("%w: the Redis server drops keys when %d bytes are used (maxmemory-policy %s): leases need noeviction or a volatile- policy", uid.ErrConfig, limit, policy)
	}
	lossy = []string{always}
	if f.info["aof_enabled"] != "1" {
		lossy = append(lossy, "the server does not say whether it has an append-only file")
	}
	return lossy, nil
}
