package redis

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/segmentjson"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/stores"
)

// defaultPrefix begins all keys unless a [Config] says otherwise.
const defaultPrefix = "uid"

// maxPrefix is the most bytes of a Prefix.
const maxPrefix = 64

// A Config holds the settings of a [Store]. The zero value works.
type Config struct {
	// Prefix begins the names of all keys. Programs that share namespaces have the same. It has at
	// most 64 letters, digits and characters of "-_.:/". The default, for "", is "uid".
	Prefix string
}

// A Store keeps namespaces of leases, and segments, in a Redis or Valkey server, or in a cluster of them; see
// [stores.Store]. It is a [doctor.Examiner], too. Make it with [New]. All methods may be called by any number
// of goroutines at once.
type Store struct {
	*stores.Store
	driver *driver
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
		cfg.Prefix = defaultPrefix
	}
	if n := len(cfg.Prefix); n > maxPrefix {
		return nil, fmt.Errorf("%w: the Prefix %.100q has %d bytes, at most %d are allowed", uid.ErrConfig, cfg.Prefix, n, maxPrefix)
	}
	if i := strings.IndexFunc(cfg.Prefix, badInPrefix); i >= 0 {
		return nil, fmt.Errorf("%w: the Prefix %.100q has the byte 0x%02x at %d; letters, digits and -_.:/ can be used", uid.ErrConfig, cfg.Prefix, cfg.Prefix[i], i)
	}
	d := &driver{client: client, prefix: cfg.Prefix}
	return &Store{stores.New(d), d}, nil
}

// Segments returns the rows of all tags below the prefix. Programs that draw numbers of the same tags have
// the same Prefix. It lists the tags that this package has written; a counter of another program is among
// them once a number of its tag was taken here.
func (s *Store) Segments() segment.Store { return stores.NewSegments(s.driver, codec{}) }

// Driver returns what New's Store is over, for the suite of drivers, and Codec the form of its tags.
func (s *Store) Driver() (stores.Driver, segmentjson.Codec) { return s.driver, codec{} }

func badInPrefix(c rune) bool {
	return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("-_.:/", c))
}
