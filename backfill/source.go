package backfill

import (
	"context"
	"log/slog"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
)

// A Source gives a run its worker IDs, each with the right to all ticks of the run. [FromNumbers] and [FromLeases] make
// it. Any number of runs and goroutines may share it.
type Source interface {
	// take takes one ID. It has stored that the ticks belong to this run alone when it returns.
	take(ctx context.Context, w want) (holding, error)
	// usable returns an error when the source cannot be used, with any ID.
	usable() error
}

// A want is what a run needs of each worker ID.
type want struct {
	layout      bits.Layout
	terms       uid.Terms // of the layout
	first, last int64     // the ticks, both included
	log         *slog.Logger
}

// A holding is a worker ID and the right to the ticks that were wanted.
type holding struct {
	id int64
	// release gives up the ticks above the last one that was issued, -1 for none, if the source can
	// use that. Nothing is issued any more.
	release func(ctx context.Context, last int64) error
}
