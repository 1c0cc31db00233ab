package subject

import (
	"log/slog"
	"time"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/worker"
)

// AtCeiling returns subjects that can be asked for more than they may give, so that calls have to
// wait: this library's generators without a lead, and the peers of the same ticks. Those of one
// layout follow each other.
func AtCeiling() []Subject {
	return []Subject{
		ceiling("uid-cached-256", "uid cached, 256 in 10 ms", sonyflake1, openCachedAt(tens)),
		ceiling("uid-uncached-256", "uid uncached, 256 in 10 ms", sonyflake1, openUncachedAt(tens)),
		sonyflake1,
		ceiling("uid-cached-4096", "uid cached, 4,096 in 1 ms", snowflakeDefault, openCachedAt(milliseconds)),
		ceiling("uid-uncached-4096", "uid uncached, 4,096 in 1 ms", snowflakeDefault, openUncachedAt(milliseconds)),
		snowflakeDefault,
	}
}

var (
	tens         = bits.Config{TimeBits: 39, WorkerBits: 16, SequenceBits: 8, Unit: 10 * time.Millisecond}
	milliseconds = bits.Config{TimeBits: 41, WorkerBits: 10, SequenceBits: 12, Unit: time.Millisecond}
)

// ceiling returns a subject with the ticks of a peer, and so its sustained rate.
func ceiling(name, label string, peer Subject, open func() (Source, error)) Subject {
	return Subject{Name: name, Label: label, Kind: Ours, Bits: 63, Module: ours,
		Sustained: peer.Sustained, Beyond: Waits, Open: open}
}

// openCachedAt opens a generator that borrows nothing.
func openCachedAt(c bits.Config) func() (Source, error) {
	return func() (Source, error) {
		layout, err := bits.NewLayout(c)
		if err != nil {
			return nil, err
		}
		g, err := cached.New(worker.Static(7),
			cached.Config{Layout: layout, MaxLead: time.Nanosecond, Logger: slog.New(slog.DiscardHandler)})
		return strict{g}, err
	}
}
