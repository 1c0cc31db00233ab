package zookeeper

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/stores"
)

// A Config holds the settings of [New]. The zero value works for an ensemble that everybody may write to.
type Config struct {
	// Root is the path of the node that all are under, without a slash at its end. The default is /uid.
	Root string

	// ACL is given to each node that is made. The default, zk.WorldACL(zk.PermAll), leaves them open to all clients
	// that reach the ensemble.
	ACL []zk.ACL

	// ClockError bounds how far the clock of any process that leases IDs here, and of any server, is off true
	// time: an hour at most, and the same in all processes. The default is 500 ms, for clocks set by NTP.
	ClockError time.Duration
}

const (
	// defaultRoot is the Root of a Config that leaves it empty.
	defaultRoot = "/uid"
	// defaultClockError suits machines whose clocks are set by NTP.
	defaultClockError = 500 * time.Millisecond
	// maxClockError is the largest ClockError.
	maxClockError = time.Hour
)

// New returns a store on a [*zk.Conn], or a wrapper of one, say for traces. It asks nothing of the ensemble, and the
// caller closes the connection. It returns [uid.ErrConfig] or [uid.ErrRange] when a setting cannot be used.
func New(conn connection, cfg Config) (*stores.Store, error) {
	d, err := newDriver(conn, cfg)
	if err != nil {
		return nil, err
	}
	return stores.New(d), nil
}

func newDriver(conn connection, cfg Config) (*driver, error) {
	if c, is := conn.(*zk.Conn); conn == nil || is && c == nil {
		return nil, fmt.Errorf("%w: the connection is nil", uid.ErrConfig)
	}
	cfg.Root, cfg.ClockError = cmp.Or(cfg.Root, defaultRoot), cmp.Or(cfg.ClockError, defaultClockError)
	if err := checkRoot(cfg.Root); err != nil {
		return nil, err
	}
	if cfg.ClockError < 0 || cfg.ClockError > maxClockError {
		return nil, fmt.Errorf("%w: ClockError %v is not within 0 and %v", uid.ErrRange, cfg.ClockError, maxClockError)
	}
	acl := slices.Clone(cfg.ACL)
	if len(acl) == 0 {
		acl = zk.WorldACL(zk.PermAll)
	}
	// Times are whole microseconds.
	off := (cfg.ClockError + time.Microsecond - 1).Truncate(time.Microsecond)
	return &driver{conn: conn, root: cfg.Root, acl: acl, off: off, now: time.Now}, nil
}

// maxRoot leaves room for the rest of a path in errors and names.
const maxRoot = 255

// checkRoot does not repeat a Root in its errors: it may be a URL, with a password, in the wrong place.
func checkRoot(root string) error {
	if len(root) > maxRoot {
		return fmt.Errorf("%w: the Root has %d bytes, at most %d are allowed", uid.ErrRange, len(root), maxRoot)
	}
	parts := strings.Split(root, "/")
	if len(parts) < 2 || parts[0] != "" || parts[1] == "zookeeper" {
		return fmt.Errorf("%w: the Root is not the path of a node for users, such as %s", uid.ErrConfig, defaultRoot)
	}
	for _, part := range parts[1:] {
		if part == "" || part == "." || part == ".." {
			return fmt.Errorf("%w: the Root has the part %q, which no node can have as its name", uid.ErrConfig, part)
		}
	}
	if i := strings.IndexFunc(root, func(c rune) bool { return c <= ' ' || c > '~' }); i >= 0 {
		return fmt.Errorf("%w: the Root has the byte 0x%02x at %d; ASCII without spaces can be used", uid.ErrConfig,
			root[i], i)
	}
	return nil
}
