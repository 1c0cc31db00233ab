package simulation

import (
	"time"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/storetest"
)

// A Plan says what is simulated.
type Plan struct {
	Name      string
	Seed      uint64
	Processes int // of each region
	Length    time.Duration

	// Window is the leases'. Leases last for two of them, and IDs rest for five minutes.
	Window time.Duration

	// How long it is, on average, from one to the next, in each region.
	Rolling  time.Duration // restart of all processes, one after another, within half an hour
	AtOnce   time.Duration // restart of all processes within a second
	Outage   time.Duration // of the database
	Blackout time.Duration // of the region: all processes crash, and the database is down
	Failover time.Duration // of a database that loses writes then

	// The same for a single process.
	Crash time.Duration
	Pause time.Duration
	Step  time.Duration // of its host's clock

	// Lost is the share of calls whose reply or write is lost, or comes late.
	Lost float64

	// Retry is the longest pause of a running process after a call that has failed.
	Retry time.Duration

	// Take and Change are how long a database is busy with a call; it does one after another.
	Take, Change time.Duration

	Planted Fault
}

// A Fault is planted in the protocol or in how it is used.
type Fault int

const (
	None Fault = iota
	// NoBurn has a store that loses writes taken for one that does not.
	NoBurn
	// NoFence has owners renew without looking whose row it is.
	NoFence
	// NoRanges has all databases give the same worker IDs.
	NoRanges
)

func (f Fault) String() string {
	return [...]string{"no fault", "no burn", "no fence", "no ranges"}[f]
}

const day = 24 * time.Hour

// Year is the full form. With a Window of hours a year of renewals is 17 million calls. With the
// default of a minute it would be twelve billion; Hours has that.
var Year = Plan{
	Name: "a year", Seed: 1, Processes: 3334, Length: 365 * day, Window: 12 * time.Hour,
	Rolling: 14 * day, AtOnce: 30 * day, Outage: 20 * day, Blackout: 150 * day, Failover: 20 * day,
	Crash: 30 * day, Pause: 60 * day, Step: 60 * day, Lost: 1e-4, Retry: time.Minute,
	Take: 2 * time.Millisecond, Change: time.Millisecond,
}

// Hours has the default settings of leases.
var Hours = Plan{
	Name: "six hours", Seed: 2, Processes: 3334, Length: 6 * time.Hour, Window: lease.DefaultWindow,
	Rolling: 2 * time.Hour, AtOnce: 2 * time.Hour, Outage: 90 * time.Minute, Blackout: 4 * time.Hour, Failover: time.Hour,
	Crash: 2 * day, Pause: 2 * day, Step: 2 * day, Lost: 1e-4, Retry: downPause,
	Take: 2 * time.Millisecond, Change: time.Millisecond,
}

// Small is for each test run.
var Small = Plan{
	Name: "a week of a small fleet", Seed: 3, Processes: 12, Length: 7 * day, Window: time.Hour,
	Rolling: day / 4, AtOnce: day, Outage: day, Blackout: 2 * day, Failover: day / 4,
	Crash: day, Pause: day / 2, Step: day, Lost: 1e-2, Retry: downPause,
	Take: 2 * time.Millisecond, Change: time.Millisecond,
}

// ids is how many worker IDs each region has: for those that run, as many that were killed at
// once and whose leases still last, and some more.
func (p Plan) ids() int64 { return int64(p.Processes)*5/2 + 5 }

const (
	quarantine = lease.DefaultQuarantine
	skew       = lease.DefaultMaxClockSkew
)

func (p Plan) ttl() time.Duration { return max(lease.DefaultTTL, 2*p.Window) }

// layout has 32,768 worker IDs.
var layout = bits.MustLayout(bits.Config{
	TimeBits: 31, WorkerBits: 15, SequenceBits: 17, Epoch: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC),
})

// origin is when a simulation begins.
var origin = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// An engine is a kind of database.
type engine struct {
	name   string
	memory storetest.MemoryConfig
	loses  bool // writes, at a failover
	clock  bool // it has one
}

// engines are those of the regions.
var engines = []engine{
	{"loses writes at a failover", storetest.MemoryConfig{}, true, true},
	{"durable, by versions", storetest.MemoryConfig{Durable: true, Versions: true}, false, true},
	{"durable, without a clock", storetest.MemoryConfig{Durable: true, Versions: true, Error: 500 * time.Millisecond}, false, false},
}
