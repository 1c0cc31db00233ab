package redis

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/namespace"
	"github.com/uidgen/uid/worker/lease"
)

// DefaultPrefix begins all keys unless a [Config] says otherwise.
const DefaultPrefix = "uid"

// maxPrefix is the most bytes of a Prefix.
const maxPrefix = 64

// A Config holds the settings of a [Store]. The zero value works.
type Config struct {
	// Prefix begins the names of all keys. Programs that share namespaces have the same. It has at
	// most 64 letters, digits and characters of "-_.:/". The default, for "", is "uid".
	Prefix string
}

// A Store keeps namespaces of leases in a Redis or Valkey server, or in a cluster of them. Make it
// with [New]. All methods may be called by any number of goroutines at once.
type Store struct {
	client redis.UniversalClient
	prefix string
}

// New returns a store on a client, which stays the caller's: New opens no connection, and nothing
// closes the client. A client may be of one server, of Sentinel or of Redis Cluster, with TLS and
// accounts as go-redis has them. Its Protocol, timeouts and MaxRetries make no difference to what
// is stored.
//
// New returns [uid.ErrConfig] for a nil client, for a [redis.Ring], which would look for a
// namespace on another server when its own does not answer, and for a Prefix that cannot be used.
func New(client redis.UniversalClient, cfg Config) (*Store, error) {
	if client == nil || reflect.ValueOf(client).Kind() == reflect.Pointer && reflect.ValueOf(client).IsNil() {
		return nil, fmt.Errorf("%w: no Redis client", uid.ErrConfig)
	}
	if _, is := client.(*redis.Ring); is {
		return nil, fmt.Errorf("%w: a Ring sends keys to another server when theirs is down, and leases with them", uid.ErrConfig)
	}
	if cfg.Prefix == "" {
		cfg.Prefix = DefaultPrefix
	}
	if n := len(cfg.Prefix); n > maxPrefix {
		return nil, fmt.Errorf("%w: the Prefix %.100q has %d bytes, at most %d are allowed", uid.ErrConfig, cfg.Prefix, n, maxPrefix)
	}
	if i := strings.IndexFunc(cfg.Prefix, badInPrefix); i >= 0 {
		return nil, fmt.Errorf("%w: the Prefix %.100q has the byte 0x%02x at %d; letters, digits and -_.:/ can be used", uid.ErrConfig, cfg.Prefix, cfg.Prefix[i], i)
	}
	return &Store{client, cfg.Prefix}, nil
}

func badInPrefix(c rune) bool {
	return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("-_.:/", c))
}

// keys are those of a namespace. The braces put all of them into one slot of a Redis Cluster, so
// that a script can use them together. Neither a name nor a prefix has braces.
func (s *Store) keys(namespace string) []string {
	base := s.prefix + ":{" + namespace + "}:"
	return []string{base + "namespace", base + "rows", base + "ends", base + "ids"}
}

// namesKey is that of the set of all namespaces' names.
func (s *Store) namesKey() string { return s.prefix + ":namespaces" }

// Leases is a namespace in a [Store], and a [lease.Store]. All methods may be called by any number
// of goroutines at once.
type Leases struct {
	store *Store
	name  string
	keys  []string // namespace, rows, ends, ids
}

var _ lease.Store = (*Leases)(nil)

// Leases returns a namespace. Worker IDs are unique within one, and all UIDs of one have the same
// layout; UIDs of two can be equal. The name has at most 64 characters: ASCII letters, digits,
// spaces (not at its ends) and !"#$%&'()*+,-./:;<=>?_. For "" it is "default". Leases returns
// [uid.ErrConfig] or [uid.ErrRange] for all other names. It asks no server.
func (s *Store) Leases(name string) (*Leases, error) {
	name, err := namespace.Resolve(name)
	if err != nil {
		return nil, err
	}
	return &Leases{s, name, s.keys(name)}, nil
}

// Namespace returns [Store.Leases] for a registry.
func (s *Store) Namespace(name string) (lease.Store, error) {
	l, err := s.Leases(name)
	if err != nil {
		return nil, err
	}
	return l, nil
}

// Durable implements [lease.Store]: it is false, since a replica may take over that lacks the
// newest writes, and a server may lose what it has not yet written to its disk.
func (l *Leases) Durable() bool { return false }

// Name returns the namespace and its keys: namespace "orders" of Redis keys uid:{orders}:*.
func (l *Leases) Name() string {
	return fmt.Sprintf("namespace %q of Redis keys %s:{%s}:*", l.name, l.store.prefix, l.name)
}

// Change implements [lease.Store], in two round trips.
func (l *Leases) Change(ctx context.Context, id int64, decide func(*lease.Row, lease.Clock) error) error {
	for {
		read, err := l.readRow(ctx, id)
		if err != nil {
			return err
		}
		if read.row == "" {
			if read.namespace == "" {
				return l.missing()
			}
			if err := decide(nil, read.clock); err != nil {
				return err
			}
			return fmt.Errorf("redis: worker ID %d of %s has no row that could be changed", id, l.Name())
		}
		row, err := l.parseRow(id, read.row)
		if err != nil {
			return err
		}
		if err := decide(&row, read.clock); err != nil {
			return err
		}
		change, err := rowChange(id, read.row, row)
		if err != nil {
			return err
		}
		if stored, err := l.write(ctx, read.history, anyNamespace, "", change); stored || err != nil {
			return err
		}
	}
}

// Init implements [lease.Store], in three round trips when it writes.
func (l *Leases) Init(ctx context.Context, decide func(*lease.Namespace, lease.Clock) error) error {
	for {
		read, err := l.readNamespace(ctx)
		if err != nil {
			return err
		}
		was := lease.Namespace{Given: -1, Floor: -1, Fresh: true, Reach: read.reach}
		if read.namespace != "" {
			if was, err = l.parseNamespace(read.namespace); err != nil {
				return err
			}
		}
		n := was
		n.Given = max(n.Given, read.top)
		refused := decide(&n, read.clock)
		n.Given = max(was.Given, read.top)
		if refused == nil || !was.Fresh {
			// Before the namespace is there, so that none is without its name. The set may be on
			// another server, and lose the name alone: so it is added even if there is nothing to do.
			if err := l.store.register(ctx, l.name); err != nil && refused == nil {
				return err
			}
		}
		if refused != nil || n == was && !was.Fresh {
			return refused
		}
		text, err := namespaceText(n)
		if err != nil {
			return err
		}
		if stored, err := l.write(ctx, read.history, read.namespace, text); stored || err != nil {
			return err
		}
	}
}
