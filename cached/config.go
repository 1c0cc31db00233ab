package cached

import (
	"cmp"
	"fmt"
	"log/slog"
	"math"
	mathbits "math/bits"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/tenure"
)

// Defaults of a zero Config.
const (
	defaultMaxLead       = 90 * time.Second
	mostBegun            = 2 * time.Minute // as far as a lease begins ahead of the clock
	defaultMaxLag        = time.Second
	defaultSlots         = 8
	fewBits              = 8 // ticks of fewer than 2^8 UIDs get more slots
	defaultPaddingFactor = 50
)

// Unbounded, as a MaxLead, lets a generator borrow time up to the end of the time field.
const Unbounded time.Duration = math.MaxInt64

// Config configures a generator. Its zero value works.
type Config struct {
	// Layout is bits.Default() if zero. The layouts of uncached.RollbackBits are refused.
	Layout bits.Layout

	// MaxLead is how far a UID's time may be ahead of the clock, in whole ticks, rounded down. At the bound
	// OnRejectedTake decides. The default, 90 s, allows the default layout bursts of 737,280 UIDs; it is as long as a
	// worker begins ahead if that is more, up to two minutes. A lease reserves two minutes ahead at most. A value below
	// one tick borrows nothing; negative ones are refused.
	MaxLead time.Duration

	// MaxLag is how far a UID's time may be behind the clock, in whole ticks: older ticks in the ring are skipped. Zero
	// stands for a second, or for one tick if that is longer; any other value shorter than a tick is refused. While
	// UIDs are drawn, the generator wakes about every half MaxLag, but at most once a tick.
	//
	// If the scheduler delays the generator, or the process was stopped, UIDs can be later: at 1 ms, up to 3.6 % were
	// on a busy machine. While a reservation that cannot be renewed ends, they can be up to 1½ MaxLag behind.
	MaxLag time.Duration

	// After is the floor: no UID at or below it is issued, whatever the clock shows and whatever layout made it. For
	// the move from another generator or layout, set it to the largest UID made before. Leases, state files and
	// disposable rows keep it for generators that begin there later. New refuses one that is negative, that no UID of
	// the layout is above, or whose next tick begins more than MaxLead, or a tick if that is longer, ahead of the
	// clock.
	After uid.UID

	// Slots is how many ticks the ring buffers: a power of two from 2 to 65,536, at 72 bytes each. The default is 8, or
	// more for ticks of fewer than 256 UIDs: up to 2,048, but no more than 8 seconds of ticks.
	Slots int

	// PaddingFactor is the per cent of the ring, from 1 to 99, below which a call that draws refills it. The default is
	// 50.
	PaddingFactor int

	// RandomStart lets a tick that begins because the clock has moved on start at a random sequence in its first half,
	// so that UIDs drawn at a low rate are spread evenly modulo any small number. Such a tick has at least half its
	// UIDs.
	RandomStart bool

	// OnRejectedTake decides what a call does when no UID may be issued before the clock moves on: see [uid.Rejection].
	// Nil waits.
	OnRejectedTake func(uid.Rejection) error

	// OnRejectedPut is called for each tick that the clock has reached while the ring is full of older ones, so that
	// UIDs are issued behind the clock, within MaxLag. That happens only if MaxLag is at least Slots ticks. The tick is
	// not used up. Nil does nothing; Health counts these ticks anyway. The generator's goroutine calls it and refills
	// nothing meanwhile. It may call the generator's methods except Close.
	OnRejectedPut func(tick int64)

	// Expiry is what to do as the layout's time field ends.
	Expiry bits.Expiry

	// Logger gets what an operator wants to know, never UIDs. Nil is slog.Default().
	Logger *slog.Logger

	// Now is the wall clock, for tests; nil is time.Now. It may jump; any number of goroutines call it at once. Timers
	// use the real clock.
	Now func() time.Time
}

// withDefaults returns c with every zero field replaced by its default, or an error
// that wraps uid.ErrConfig and names the field and the number.
func (c Config) withDefaults() (Config, error) {
	if c.Layout.IsZero() {
		c.Layout = bits.Default()
	}
	if err := tenure.RefuseRollback(c.Layout.Fields()); err != nil {
		return c, fmt.Errorf("cached: %w", err)
	}
	unit := c.Layout.Unit()
	c.MaxLead = cmp.Or(c.MaxLead, defaultMaxLead)
	c.MaxLag = cmp.Or(c.MaxLag, max(defaultMaxLag, unit))
	c.Slots = cmp.Or(c.Slots, slotsFor(c.Layout))
	c.PaddingFactor = cmp.Or(c.PaddingFactor, defaultPaddingFactor)
	switch {
	case c.MaxLead < 0:
		return c, fmt.Errorf("cached: %w: MaxLead %v is negative", uid.ErrConfig, c.MaxLead)
	case c.MaxLag < 0:
		return c, fmt.Errorf("cached: %w: MaxLag %v is negative", uid.ErrConfig, c.MaxLag)
	case c.MaxLag < unit:
		return c, fmt.Errorf("cached: %w: MaxLag %v is shorter than the layout's tick of %v",
			uid.ErrConfig, c.MaxLag, unit)
	case c.Slots < 2 || c.Slots > 1<<16 || c.Slots&(c.Slots-1) != 0:
		return c, fmt.Errorf("cached: %w: %d Slots: want a power of two from 2 to %d", uid.ErrConfig, c.Slots, 1<<16)
	case c.PaddingFactor < 1 || c.PaddingFactor > 99:
		return c, fmt.Errorf("cached: %w: PaddingFactor %d: want 1 to 99 per cent", uid.ErrConfig, c.PaddingFactor)
	}
	if c.OnRejectedTake == nil {
		c.OnRejectedTake = settings.Wait
	}
	c.Logger, c.Now = settings.Logger(c.Logger), settings.Clock(c.Now)
	return c, nil
}

// slotsFor returns the default number of slots: more for ticks of few UIDs, so that a refill brings a thousand. It
// buffers no more time than that of ticks of a second: what is buffered has to be reserved, and is lost if it is
// revoked.
func slotsFor(l bits.Layout) int {
	perSecond := max(1, time.Second/l.Unit())
	return defaultSlots << max(0, min(mathbits.Len64(uint64(perSecond))-1, fewBits-l.SequenceBits()))
}
