package lease

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/storage"
)

// A Store keeps the rows of one namespace for all processes that lease IDs in it: a row for the namespace, and one for
// each worker ID. Packages sqlstore and stores, and the modules below stores, have some.
type Store = storage.LeaseStore

// A Range is the worker IDs from First to Last, both included.
type Range = storage.Range

// Burn is how far beyond the store's clock a new owner begins if the store may have lost writes, or if a start makes
// the namespace. No owner of any store reserves beyond Burn less its MaxClockSkew, two minutes by default.
const Burn = 2*time.Minute + defaultMaxClockSkew

// Losses says which acknowledged writes a store may lose.
type Losses int

const (
	// ByHistory, the default, goes by the store's history, or by its kind if that is durable. A start refuses a store
	// that is visibly not as durable as its kind.
	ByHistory Losses = iota
	// Never says that the store loses nothing: not in a restart, a crash, a failover, or by a restored backup. UIDs
	// can repeat if it is not true. A start refuses a store whose settings visibly contradict it.
	Never
	// NeverUnchecked is Never without that check.
	NeverUnchecked
	// Anytime says that the store may lose writes, and its history not show it: each start burns. All processes of the
	// namespace must set it.
	Anytime
)

// Config holds the settings of [New]. The zero value works. A duration of 0 stands for its
// default; negative ones are refused. Durations are rounded to whole ticks of the layout.
type Config struct {
	// Window is how long the store may be away before a call fails (minus up to 5 s between attempts, and minus any
	// lead over the clock). Ticks are reserved up to 3/2 Window ahead of the store's clock, or up to [Burn] less
	// MaxClockSkew if the generator asks; 3/2 Window must not be more: 80 s of Window by default. A Window shorter than
	// a tick is refused. The default is 1 min.
	Window time.Duration

	// TTL is how long a lease lasts without a renewal, at least 3/2 Window. Then, as after a release, the ID is in
	// quarantine for another TTL, at most five minutes. The default is 5 min, or 2 Windows if that is longer.
	TTL time.Duration

	// MaxClockSkew bounds how far clocks differ: those of two servers if one may take over from the other, and, at a
	// start, this process's and the store's. The default is 2 s.
	MaxClockSkew time.Duration

	// Timeout bounds Acquire, but for the wait for the first reservation. The default is the context's deadline, or
	// without one 30 s, up to 3 s for a store that cannot be reached.
	Timeout time.Duration

	// IDs are the worker IDs that the namespace must have, and gets if this start makes it (see [Founding]). The zero
	// Range accepts any.
	IDs Range

	// Losses says which writes the store may lose.
	Losses Losses

	// MustExist makes a start fail with [worker.ErrNoNamespace] if the namespace is missing, instead of making it. Set
	// it where [Found] makes the namespace.
	MustExist bool

	// OnEvent is called with each event of the lease. The generator's own goroutine, or the one that makes it, waits
	// for it: it must be short, and not close the generator. A panic in it is logged.
	OnEvent func(Event)

	// Logger gets a record for each event but "low", and for trouble with the store at a start. The default is
	// slog.Default at the time of New.
	Logger *slog.Logger

	// Now is the clock to compare with the store's. The default is time.Now.
	Now func() time.Time
}

// The defaults of a [Config]. TTL grows with a longer Window.
const (
	defaultWindow       = time.Minute
	defaultTTL          = 5 * time.Minute
	defaultMaxClockSkew = 2 * time.Second
)

const (
	longestQuarantine = 5 * time.Minute
	maxDuration       = 100 * 365 * 24 * time.Hour // sums of a few do not overflow
)

func (c Config) withDefaults() (Config, error) {
	for _, d := range []struct {
		name     string
		value    *time.Duration
		standard time.Duration
	}{
		{"Window", &c.Window, defaultWindow},
		{"TTL", &c.TTL, 0},
		{"MaxClockSkew", &c.MaxClockSkew, defaultMaxClockSkew},
		{"Timeout", &c.Timeout, 0},
	} {
		if *d.value < 0 || *d.value > maxDuration {
			return c, fmt.Errorf("%w: %s %v is not within 0 and %v", uid.ErrConfig, d.name, *d.value, maxDuration)
		}
		*d.value = cmp.Or(*d.value, d.standard)
	}
	c.TTL = cmp.Or(c.TTL, max(defaultTTL, 2*c.Window))
	switch {
	case c.Losses < ByHistory || c.Losses > Anytime:
		return c, fmt.Errorf("%w: Losses %d is not known", uid.ErrConfig, c.Losses)
	case c.TTL < c.ahead():
		return c, fmt.Errorf("%w: TTL %v is less than 3/2 of Window %v, for which ticks are reserved",
			uid.ErrConfig, c.TTL, c.Window)
	case c.ahead() > Burn || c.MaxClockSkew > Burn-c.ahead():
		return c, fmt.Errorf("%w: 3/2 of Window %v, for which ticks are reserved, and MaxClockSkew %v have to be %v "+
			"together at most: a start begins so far ahead of the clock after the store has lost writes",
			uid.ErrConfig, c.Window, c.MaxClockSkew, Burn)
	case c.IDs != (Range{}) && (c.IDs.First < 0 || c.IDs.First > c.IDs.Last):
		return c, fmt.Errorf("%w: IDs from %d to %d are no range of worker IDs", uid.ErrRange, c.IDs.First, c.IDs.Last)
	}
	c.Logger, c.Now = settings.Logger(c.Logger), settings.Clock(c.Now)
	return c, nil
}

// never reports whether the store never loses a write.
func (c Config) never(store Store) bool {
	return c.Losses == Never || c.Losses == NeverUnchecked || c.Losses == ByHistory && store.Durable()
}

// ahead is how far ahead of the store's clock ticks are reserved before the generator asks for them.
func (c Config) ahead() time.Duration { return c.Window + c.Window/2 }

// quarantine is how long an ID is left alone after its lease has ended: longer than the clocks of
// two servers differ.
func (c Config) quarantine() time.Duration {
	return max(min(c.TTL, longestQuarantine), c.MaxClockSkew)
}

// mostAhead is how far ahead of the store's clock the ticks used under an ID may lie, and how far this
// process's clock may be off at a renewal: ticks beyond were written under a wrong clock, or this one is wrong.
const mostAhead = Burn + 15*time.Minute

// holder tells people which process has a lease: the host's name and the process ID.
func holder() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		name = "unknown"
	}
	return fmt.Sprintf("%.100s/%d", strings.ToValidUTF8(name, "?"), os.Getpid())
}
