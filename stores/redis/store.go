package redis

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/stores"
)

// maxPrefix is the most bytes of a Prefix, and inPrefix has those that it may have.
const (
	maxPrefix = 64
	inPrefix  = "-_.:/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// A Config holds the settings of [New]. The zero value works.
type Config struct {
	// Prefix begins the names of all keys. Programs that share namespaces or tags have the same. It has at
	// most 64 letters, digits and characters of "-_.:/". The default, for "", is "uid".
	Prefix string
}

// New returns a store on a client, of one server, of Sentinel or of Redis Cluster. It sends nothing, and the caller
// closes the client. Its segments are those tags that this package has written, and counters of other programs once a
// number of their tag was taken here.
//
// New returns [uid.ErrConfig] for a nil client, for a [redis.Ring], and for a Prefix that cannot be used.
func New(client redis.UniversalClient, cfg Config) (*stores.Store, error) {
	if client == nil || reflect.ValueOf(client).Kind() == reflect.Pointer && reflect.ValueOf(client).IsNil() {
		return nil, fmt.Errorf("%w: no Redis client", uid.ErrConfig)
	}
	if _, is := client.(*redis.Ring); is {
		return nil, fmt.Errorf("%w: a Ring sends keys to another server when theirs is down, and leases with them",
			uid.ErrConfig)
	}
	cfg.Prefix = cmp.Or(cfg.Prefix, "uid")
	// The errors do not repeat a Prefix: it may be a URL, with a password, in the wrong place.
	if n := len(cfg.Prefix); n > maxPrefix {
		return nil, fmt.Errorf("%w: the Prefix has %d bytes, at most %d are allowed", uid.ErrConfig, n, maxPrefix)
	}
	if rest := strings.TrimLeft(cfg.Prefix, inPrefix); rest != "" {
		return nil, fmt.Errorf("%w: the Prefix has the byte 0x%02x at %d; letters, digits and -_.:/ can be used",
			uid.ErrConfig, rest[0], len(cfg.Prefix)-len(rest))
	}
	return stores.New(&driver{client: client, prefix: cfg.Prefix}), nil
}
