package lease

import (
	"fmt"
	"log/slog"
	"os"
	"time"
	"unicode/utf8"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/settings"
)

// Config holds the settings of a [Lease]. The zero value works.
//
// A duration of 0 stands for its default; negative ones are refused. Durations are rounded to
// whole ticks of the layout; a Window shorter than a tick is refused when a generator is made.
type Config struct {
	// Timeout bounds Acquire: all attempts together, but not the wait for the first reservation.
	// The default is 30 s.
	Timeout time.Duration

	// Window is how long the store may be away before anybody notices (minus up to 5 s between
	// attempts, and minus any lead over the clock). Ticks are reserved up to 3/2 Window ahead of
	// the store's clock, and renewed when only one Window is left. The default is 1 min.
	//
	// It also bounds how far a generator can borrow from the future. Unless DurableStore is set,
	// a new owner of an ID starts that far (3/2 Window + MaxClockSkew) ahead of the clock. A
	// longer Window raises both.
	Window time.Duration

	// TTL is how long a lease lasts without a renewal, at least 3/2 Window. A process that does
	// not come back holds its ID that long. The default is 5 min, or 2 Windows if that is longer.
	TTL time.Duration

	// Quarantine is how long an ID is left alone after its lease was released or has ended. It is
	// at least MaxClockSkew. The default is 5 min, or MaxClockSkew if that is longer.
	Quarantine time.Duration

	// MaxClockSkew bounds the difference between the clocks of servers that may become the
	// primary one after another. The default is 2 s.
	MaxClockSkew time.Duration

	// IDs are the worker IDs that the namespace has to have (see [Founding]); the zero Range stands
	// for whatever it has. A start that finds others is refused, and so is one whose state file has
	// another ID. A start that makes a missing namespace gives it these IDs.
	IDs Range

	// DurableStore says that the store never loses a write that it has acknowledged: not in a
	// crash, not when another server takes over, not because a backup is restored. Where the
	// store's kind promises that (see [Store.Durable]) it is set by itself, unless LossyStore is.
	// A new owner then does not wait at its start, nor begin ahead of the clock, and reservations
	// may reach as far as the generator's MaxLead. If it is not true, UIDs can repeat: the store's
	// package says when it is.
	//
	// Such a lease creates nothing: [Found] makes its namespace.
	DurableStore bool

	// DurableStoreUnverified skips the check of DurableStore. Without it a start asks the store
	// for its settings (see [Store]), and refuses one that is visibly not durable.
	DurableStoreUnverified bool

	// LossyStore says that the store can lose a write, whatever its kind promises: its backups
	// may be restored, say. The protocol then makes up for what may have been lost, if all
	// processes of the namespace say so: one that trusts the store begins where the row says. It
	// excludes DurableStore.
	LossyStore bool

	// NoWait makes Acquire return as soon as the ID is leased. The first ticks follow about
	// MaxClockSkew and a tick later; calls that draw UIDs wait for them, and return the error if
	// the first reservation fails. It is for programs that make many generators one after
	// another. On a durable store it changes nothing.
	NoWait bool

	// MaxClockOffset is how far this process's clock may differ from the store's when a lease is
	// acquired, beyond the time that the answer took. The default is 2 s; math.MaxInt64 allows
	// any.
	MaxClockOffset time.Duration

	// MaxAhead is how far ahead of the store's clock the ticks used under an ID may lie when the
	// ID is acquired: a row further in the future was written under a wrong clock, or this one is
	// wrong. It also bounds the difference of the two clocks at each renewal. The default is 15
	// min beyond 3/2 Window or Offline, whichever is longer, and MaxClockSkew; math.MaxInt64
	// allows any.
	MaxAhead time.Duration

	// AllowBeforeEpoch allows acquiring a lease while the store's clock is before the layout's
	// epoch. No tick can be reserved before the epoch.
	AllowBeforeEpoch bool

	// StateFile is the path of a file that keeps the lease across restarts. A start within TTL (or
	// Offline) of the last renewal goes on with the ID, above the last tick that the file has: at
	// once, whatever the store. While the store is down it goes on with what was reserved beyond
	// that tick: what was not issued before Close or, after a crash, only what Offline adds. On a
	// store that can lose writes a start acquires another ID when Window or MaxClockSkew has become
	// longer, or DurableStore is no longer set: only an acquisition tells later owners how far an
	// owner may have reserved.
	// Release keeps the lease, so that an ID that is not taken up again is free only after TTL (or
	// Offline) and Quarantine. The file is bound to this host, and locked while a generator uses
	// it.
	StateFile string

	// Host names this machine in the state file. If the operating system's host name changes from
	// one start to the next, set a name that stays as long as the file does, and that no copy of
	// the file has. The default is the host name.
	Host string

	// Offline is how long a service can do without the store, restarts included. Ticks are
	// reserved that far ahead instead of 3/2 Window, and the lease lasts as long. It needs
	// StateFile and a durable store (see DurableStore): on any other a new owner would
	// have to start as far ahead of the clock, to make up for a lost write. The default, 0, is
	// off.
	Offline time.Duration

	// Holder tells people who has the lease, in at most 128 characters. The default is the host's
	// name and the process ID.
	Holder string

	// OnEvent is called when a lease is acquired, taken over from a holder that did not release
	// it, lost, or nearly out of ticks. The generator's own goroutine (or the one that makes the
	// generator) calls it and waits for it: it must be short, and must not close the generator. A
	// panic in it is logged.
	OnEvent func(Event)

	// Logger gets a record for each event but Low, and for trouble with the store at a start. The
	// default is slog.Default at the time of New.
	Logger *slog.Logger

	// Now is the clock that is compared with the store's. The default is time.Now.
	Now func() time.Time
}

// The defaults of a [Config]. TTL, Quarantine and MaxAhead grow where a longer Window,
// MaxClockSkew or Offline needs it; DefaultMaxAhead is added to these.
const (
	DefaultWindow         = time.Minute
	DefaultTTL            = 5 * time.Minute
	DefaultQuarantine     = 5 * time.Minute
	DefaultMaxClockSkew   = 2 * time.Second
	DefaultMaxClockOffset = 2 * time.Second
	DefaultMaxAhead       = 15 * time.Minute
)

const (
	maxHolderLen = 128
	maxDuration  = 100 * 365 * 24 * time.Hour // sums of a few do not overflow
)

func (c Config) withDefaults() (Config, error) {
	for _, d := range []struct {
		name     string
		value    *time.Duration
		standard time.Duration
		endless  bool // math.MaxInt64 is allowed, too
	}{
		{"Timeout", &c.Timeout, retry.DefaultTimeout, false},
		{"Window", &c.Window, DefaultWindow, false},
		{"MaxClockSkew", &c.MaxClockSkew, DefaultMaxClockSkew, false},
		{"TTL", &c.TTL, 0, false},
		{"Quarantine", &c.Quarantine, 0, false},
		{"MaxClockOffset", &c.MaxClockOffset, DefaultMaxClockOffset, true},
		{"MaxAhead", &c.MaxAhead, 0, true},
		{"Offline", &c.Offline, 0, false},
	} {
		if *d.value < 0 || *d.value > maxDuration && !d.endless {
			return c, fmt.Errorf("%w: %s %v is not within 0 and %v", uid.ErrConfig, d.name, *d.value, maxDuration)
		}
		if *d.value == 0 {
			*d.value = d.standard
		}
	}
	if c.TTL == 0 {
		c.TTL = max(DefaultTTL, 2*c.Window)
	}
	if c.Quarantine == 0 {
		c.Quarantine = max(DefaultQuarantine, c.MaxClockSkew)
	}
	if c.MaxAhead == 0 {
		c.MaxAhead = c.reach() + c.MaxClockSkew + DefaultMaxAhead
	}
	if c.IDs != (Range{}) && (c.IDs.First < 0 || c.IDs.First > c.IDs.Last) {
		return c, fmt.Errorf("%w: IDs from %d to %d are no range of worker IDs", uid.ErrRange, c.IDs.First, c.IDs.Last)
	}
	switch {
	case c.TTL < c.Window+c.Window/2:
		return c, fmt.Errorf("%w: TTL %v is less than 3/2 of Window %v, for which ticks are reserved", uid.ErrConfig, c.TTL, c.Window)
	case c.Quarantine < c.MaxClockSkew:
		return c, fmt.Errorf("%w: Quarantine %v is less than MaxClockSkew %v", uid.ErrConfig, c.Quarantine, c.MaxClockSkew)
	case c.MaxAhead < c.reach()+c.MaxClockSkew:
		return c, fmt.Errorf("%w: MaxAhead %v is less than the %v that a lease may reserve ahead and MaxClockSkew %v", uid.ErrConfig, c.MaxAhead, c.reach(), c.MaxClockSkew)
	case c.Offline > 0 && c.StateFile == "":
		return c, fmt.Errorf("%w: Offline %v needs a StateFile", uid.ErrConfig, c.Offline)
	case c.Offline > 0 && !c.DurableStore:
		return c, fmt.Errorf("%w: Offline %v needs a durable store: one whose kind promises that, or DurableStore", uid.ErrConfig, c.Offline)
	case c.Offline > 0 && c.Offline < c.Window+c.Window/2:
		return c, fmt.Errorf("%w: Offline %v is less than 3/2 of Window %v", uid.ErrConfig, c.Offline, c.Window)
	}
	name, err := os.Hostname()
	if c.Holder == "" {
		if name == "" {
			c.Holder = fmt.Sprint("unknown/", os.Getpid())
		} else {
			c.Holder = fmt.Sprintf("%.100s/%d", name, os.Getpid())
		}
	}
	if c.StateFile != "" && c.Host == "" {
		if c.Host = name; name == "" {
			return c, fmt.Errorf("%w: the operating system tells no host name (%v): set Host", uid.ErrConfig, err)
		}
	}
	if !utf8.ValidString(c.Holder) {
		return c, fmt.Errorf("%w: the Holder %.100q is not valid UTF-8", uid.ErrConfig, c.Holder)
	}
	if n := utf8.RuneCountInString(c.Holder); n > maxHolderLen {
		return c, fmt.Errorf("%w: the Holder %.100q has %d characters, a row holds %d", uid.ErrRange, c.Holder, n, maxHolderLen)
	}
	c.Logger, c.Now = settings.Logger(c.Logger), settings.Clock(c.Now)
	return c, nil
}

// reach is how far ahead of the store's clock ticks are reserved.
func (c Config) reach() time.Duration {
	return max(c.Window+c.Window/2, c.Offline)
}

// ttl is how long a lease lasts.
func (c Config) ttl() time.Duration {
	return max(c.TTL, c.Offline)
}
