package etcd

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/stores"
)

// Config holds the settings of [New]. The zero value works.
type Config struct {
	// Prefix begins all keys; the default is "uid/". It has at most 128 ASCII letters, digits and characters of
	// -._/, ends with a slash, and is the same for all clients of a namespace.
	Prefix string

	// ClockError bounds how far the clock of any client may be off true time, in whole microseconds from 1 µs to an
	// hour. The default is 1 s, which NTP keeps. A namespace remembers it, and refuses a client that has another one.
	// With a worse clock an owner can lose its ID for nothing, or take one early, but no tick comes twice.
	ClockError time.Duration

	// RequestTimeout bounds each request, after which the next attempt goes to another member. The default is
	// 5 s; at least 1 ms.
	RequestTimeout time.Duration

	// Now is the clock. The default is time.Now.
	Now func() time.Time
}

const (
	inPrefix      = "-._/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	maxPrefixLen  = 128
	maxClockError = time.Hour
)

func (c Config) withDefaults() (Config, error) {
	c.Prefix, c.ClockError = cmp.Or(c.Prefix, "uid/"), cmp.Or(c.ClockError, time.Second)
	c.RequestTimeout, c.Now = cmp.Or(c.RequestTimeout, 5*time.Second), settings.Clock(c.Now)
	// The errors do not repeat a Prefix: it may be a URL, with a password, in the wrong place.
	if n := len(c.Prefix); n > maxPrefixLen {
		return c, fmt.Errorf("%w: the Prefix has %d bytes, at most %d are allowed", uid.ErrRange, n, maxPrefixLen)
	}
	if rest := strings.TrimLeft(c.Prefix, inPrefix); rest != "" {
		return c, fmt.Errorf("%w: the Prefix has the byte 0x%02x at %d: letters, digits and -._/ can be used",
			uid.ErrConfig, rest[0], len(c.Prefix)-len(rest))
	}
	switch {
	case !strings.HasSuffix(c.Prefix, "/"):
		return c, fmt.Errorf("%w: the Prefix does not end with a slash", uid.ErrConfig)
	case c.ClockError < time.Microsecond || c.ClockError > maxClockError || c.ClockError%time.Microsecond != 0:
		return c, fmt.Errorf("%w: ClockError %v is not of whole microseconds from 1µs to %v", uid.ErrConfig,
			c.ClockError, maxClockError)
	case c.RequestTimeout < time.Millisecond:
		return c, fmt.Errorf("%w: RequestTimeout %v is below 1ms", uid.ErrConfig, c.RequestTimeout)
	}
	return c, nil
}

// New returns a store in the cluster that the client is connected to. It sends nothing, and the caller closes the
// client. It returns [uid.ErrConfig] or [uid.ErrRange] when a setting cannot be used.
func New(client *clientv3.Client, cfg Config) (*stores.Store, error) {
	if client == nil {
		return nil, fmt.Errorf("%w: no client of etcd", uid.ErrConfig)
	}
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return stores.New(&driver{client, cfg}), nil
}
