package bits

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/uidgen/uid"
)

// Config describes a [Layout] to [NewLayout].
type Config struct {
	// TimeBits is the width of the tick, at least 1. WorkerBits and SequenceBits may be 0: a field without bits is
	// always 0. The three add up to 63 at most. Of 63 TimeBits the very last number is no tick.
	TimeBits, WorkerBits, SequenceBits int

	// Epoch is the instant at which tick 0 begins, from 1970 to the present. The zero Time stands for
	// 2026-01-01T00:00:00Z. Never change it: it is part of what every UID means.
	Epoch time.Time

	// Unit is the length of a tick; zero stands for a second. It must divide a second (1ms, 10ms, 1ns) or be a multiple
	// of one (1s, 1m0s).
	Unit time.Duration

	// Fields splits the worker ID into named parts, the highest bits first, such as {Name: "datacenter", Bits: 5}.
	// Their widths must add up to WorkerBits. They change only what [Layout.Parse] shows. The name "rollback" is
	// reserved for uncached.RollbackBits.
	Fields []uid.Field
}

const maxBits = 63

// defaultEpoch is what a zero Config.Epoch stands for: 2026-01-01T00:00:00Z.
var defaultEpoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// maxUnix is the last second that a time.Time can hold, counted from 1970; its
// own count starts at year 1.
const maxUnix = math.MaxInt64 - (1969*365+1969/4-1969/100+1969/400)*24*60*60

// A Layout says where in a UID the tick, the worker ID and the sequence are, and which time each tick stands for.
// Layouts of equal Configs are ==. The zero Layout holds no UID. In a generator's Config it means [Default].
type Layout struct {
	// One more than the largest value of each field, so that one unsigned comparison
	// checks a number. All three are 0 in the zero Layout only, which thereby refuses
	// everything.
	ticks, workers, sequences uint64

	timeBits, workerBits, sequenceBits uint8

	epoch time.Time // UTC, without a monotonic reading, for ==
	unit  time.Duration
	// The named parts of the worker ID as Parts carries them: a text, for ==.
	fields string
}

// NewLayout makes the layout that cfg describes. It returns ErrConfig when cfg is out of the bounds given there or the
// time field reaches beyond what a time.Time can hold, and ErrSyntax when a part's name is not allowed.
func NewLayout(cfg Config) (Layout, error) {
	return newLayout(cfg, time.Now())
}

// MustLayout is NewLayout for program variables; it panics where NewLayout fails.
func MustLayout(cfg Config) Layout {
	l, err := NewLayout(cfg)
	if err != nil {
		panic(err)
	}
	return l
}

// An epoch up to the default is never after the present, whatever the clock says.
func newLayout(cfg Config, now time.Time) (Layout, error) {
	l, err := build(cfg)
	if err != nil {
		return Layout{}, err
	}
	if l.epoch.After(now) && l.epoch.After(defaultEpoch) {
		return Layout{}, fmt.Errorf("%w: epoch %s is after the present, %s",
			uid.ErrConfig, stamp(l.epoch), stamp(now))
	}
	return l, nil
}

// build is NewLayout without a clock. The presets use it, so that a machine that boots in
// 1970 still has a Default.
func build(cfg Config) (Layout, error) {
	t, w, s := cfg.TimeBits, cfg.WorkerBits, cfg.SequenceBits
	if t < 1 || w < 0 || s < 0 {
		return Layout{}, fmt.Errorf("%w: %d/%d/%d bits of time, worker and sequence: at least 1, 0 and 0",
			uid.ErrConfig, t, w, s)
	}
	// Each alone first, so that no sum of them overflows.
	if t > maxBits || w > maxBits || s > maxBits || t+w+s > maxBits {
		return Layout{}, fmt.Errorf("%w: %d/%d/%d bits of time, worker and sequence add up to more than %d",
			uid.ErrConfig, t, w, s, maxBits)
	}
	l := Layout{
		// MaxTick + 1 is an int64: it is when the time field ends, and the tail of a full ring.
		ticks: min(uint64(1)<<t, math.MaxInt64), workers: 1 << w, sequences: 1 << s,
		timeBits: uint8(t), workerBits: uint8(w), sequenceBits: uint8(s),
		epoch: cfg.Epoch.UTC(), // which drops the monotonic reading, too
		unit:  cmp.Or(cfg.Unit, time.Second),
	}
	if cfg.Epoch.IsZero() {
		l.epoch = defaultEpoch
	}
	if l.unit < 0 || time.Second%l.unit != 0 && l.unit%time.Second != 0 {
		return Layout{}, fmt.Errorf("%w: a unit of %v neither divides a second nor is a multiple of one",
			uid.ErrConfig, l.unit)
	}
	if l.epoch.Unix() < 0 {
		return Layout{}, fmt.Errorf("%w: epoch %s is before 1970", uid.ErrConfig, stamp(l.epoch))
	}
	// 1s, the largest fraction of the end's second that the epoch may add.
	room := uint64(maxUnix - 1 - l.epoch.Unix())
	if l.unit >= time.Second && l.ticks > room/uint64(l.unit/time.Second) {
		return Layout{}, fmt.Errorf("%w: %d bits of %v from %s on reach beyond what a time.Time can hold",
			uid.ErrConfig, t, l.unit, stamp(l.epoch))
	}
	if len(cfg.Fields) > 0 {
		text, sum, err := joinFields(cfg.Fields)
		if err != nil {
			return Layout{}, err
		}
		if sum != w {
			return Layout{}, fmt.Errorf("%w: the named parts %s have %d bits, the worker ID has %d",
				uid.ErrConfig, text, sum, w)
		}
		l.fields = text
	}
	return l, nil
}

func mustBuild(cfg Config) Layout {
	l, err := build(cfg)
	if err != nil {
		panic(err)
	}
	return l
}

// IsZero reports whether l is the zero Layout.
func (l Layout) IsZero() bool { return l.ticks == 0 }

// TimeBits, WorkerBits and SequenceBits return the widths of the fields.
func (l Layout) TimeBits() int     { return int(l.timeBits) }
func (l Layout) WorkerBits() int   { return int(l.workerBits) }
func (l Layout) SequenceBits() int { return int(l.sequenceBits) }

// MaxTick, MaxWorkerID and MaxSequence return the largest values that the fields can hold; for the zero Layout -1.
func (l Layout) MaxTick() int64     { return int64(l.ticks - 1) }
func (l Layout) MaxWorkerID() int64 { return int64(l.workers - 1) }
func (l Layout) MaxSequence() int64 { return int64(l.sequences - 1) }

// Epoch returns the instant at which tick 0 begins, in UTC.
func (l Layout) Epoch() time.Time { return l.epoch }

// Unit returns the length of a tick.
func (l Layout) Unit() time.Duration { return l.unit }

// Compose returns the UID of the given tick, worker ID and sequence. It returns ErrRange when one of them is negative
// or does not fit. It does not allocate.
func (l Layout) Compose(tick, workerID, sequence int64) (uid.UID, error) {
	if uint64(tick) >= l.ticks || uint64(workerID) >= l.workers || uint64(sequence) >= l.sequences {
		return 0, l.composeError(tick, workerID, sequence)
	}
	// The masks tell the compiler that no shift exceeds the word.
	return uid.UID(tick<<((l.workerBits+l.sequenceBits)&63) | workerID<<(l.sequenceBits&63) | sequence), nil
}

func (l Layout) composeError(tick, workerID, sequence int64) error {
	if l.IsZero() {
		return errZero
	}
	what, n, most := "sequence", sequence, l.MaxSequence()
	switch {
	case uint64(tick) >= l.ticks:
		what, n, most = "tick", tick, l.MaxTick()
	case uint64(workerID) >= l.workers:
		what, n, most = "worker ID", workerID, l.MaxWorkerID()
	}
	return fmt.Errorf("%w: %s %d is not within 0 and %d, the most that %d/%d/%d bits hold",
		uid.ErrRange, what, n, most, l.timeBits, l.workerBits, l.sequenceBits)
}

var errZero = fmt.Errorf("%w: the zero Layout holds no UID", uid.ErrRange)

// Parse takes u apart, the inverse of Compose. It returns ErrRange when u is negative or has bits set beyond the
// layout. It does not allocate.
func (l Layout) Parse(u uid.UID) (uid.Parts, error) {
	tick, err := l.Tick(u)
	if err != nil {
		return uid.Parts{}, err
	}
	return uid.Parts{
		UID:      u,
		Time:     l.TimeOf(tick),
		WorkerID: int64(u) >> (l.sequenceBits & 63) & int64(l.workers-1),
		Sequence: int64(u) & int64(l.sequences-1),
		Fields:   l.fields,
	}, nil
}

// Tick returns the tick of u, and ErrRange as Parse does.
func (l Layout) Tick(u uid.UID) (int64, error) {
	tick := int64(u) >> ((l.workerBits + l.sequenceBits) & 63) // keeps the sign
	if uint64(tick) >= l.ticks {
		return 0, l.parseError(u)
	}
	return tick, nil
}

func (l Layout) parseError(u uid.UID) error {
	if l.IsZero() {
		return errZero
	}
	if u < 0 {
		return fmt.Errorf("%w: %d is below 0", uid.ErrRange, u)
	}
	return fmt.Errorf("%w: %d is above %d, the most that %d/%d/%d bits hold",
		uid.ErrRange, u, l.ticks<<(l.workerBits+l.sequenceBits)-1, l.timeBits, l.workerBits, l.sequenceBits)
}
