package statefile

import (
	"cmp"
	"fmt"
	"log/slog"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/settings"
)

// The defaults of a [Config].
const (
	defaultWindow   = 10 * time.Second
	defaultMaxAhead = 15 * time.Minute
)

// Config holds the settings of [New] and [OnLease]. The zero value works. Negative durations are refused; others are
// rounded up to whole ticks of the layout.
type Config struct {
	// Window is how long the file may be unusable (its disk full, say) before a call fails. Ticks are reserved up to
	// 3/2 Window ahead of the clock, or of what the generator asks for if that is later. After a kill a generator
	// starts that far ahead of the clock, or twice as far if a record is damaged; several kills add up. The default is
	// 10 s.
	Window time.Duration

	// MaxAhead is how far ahead of the clock the ticks reserved in the file may lie when a generator is made. Set it
	// above the generator's MaxLead and what a kill leaves; less than 3/2 Window is refused. The default is 15 min;
	// math.MaxInt64 allows any.
	MaxAhead time.Duration

	// Host is the name that binds the file to this host. The default is the operating system's host name.
	Host string

	// AnyHost allows making a generator on a file that another host wrote, which then belongs to this one. It is for
	// hosts that change their name, as containers do, and share no files: a copy is a second owner of the worker ID.
	AnyHost bool

	// Logger gets an Info record when a generator is made, and a Warn record when the file is damaged, or the store of
	// a lease cannot be reached. The default is slog.Default at the time of New.
	Logger *slog.Logger

	// Now is the clock. The default is time.Now.
	Now func() time.Time
}

// withDefaults checks the settings and fills in the defaults.
func (c Config) withDefaults() (Config, error) {
	if c.Window < 0 || c.MaxAhead < 0 {
		return c, fmt.Errorf("%w: Window %v or MaxAhead %v is negative", uid.ErrConfig, c.Window, c.MaxAhead)
	}
	c.Window, c.MaxAhead = cmp.Or(c.Window, defaultWindow), cmp.Or(c.MaxAhead, defaultMaxAhead)
	if c.Window > c.MaxAhead-c.Window/2 {
		return c, fmt.Errorf("%w: MaxAhead %v is less than 3/2 of Window %v, "+
			"which is as far ahead as ticks are reserved", uid.ErrConfig, c.MaxAhead, c.Window)
	}
	c.Logger, c.Now = settings.Logger(c.Logger), settings.Clock(c.Now)
	return c, nil
}

// accept returns the name of this host, if a generator with these terms can use the file at path.
func (c Config) accept(t uid.Terms, path string) (name string, err error) {
	if t.MaxLead > c.MaxAhead {
		return "", fmt.Errorf("%w: the generator's MaxLead %v is more than MaxAhead %v of the state file %s: "+
			"a start after a kill would be refused", uid.ErrConfig, t.MaxLead, c.MaxAhead, path)
	}
	if c.Host != "" {
		return c.Host, nil
	}
	if name, err = settings.HostName(); err != nil {
		return "", fmt.Errorf("%w: set Host", err)
	}
	return name, nil
}
