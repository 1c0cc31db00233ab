package backfill

import (
	"context"
	"fmt"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker/disposable"
)

// FromNumbers returns a source of disposable worker IDs: each run uses up as many numbers as it has Workers. New
// returns what disposable.New and Acquire would, such as [uid.ErrNoWorkerID] when the next number is above the layout's
// maximum.
func FromNumbers(numbers disposable.Numbers, cfg disposable.Config) Source {
	return fromNumbers{numbers, cfg}
}

type fromNumbers struct {
	numbers disposable.Numbers
	cfg     disposable.Config
}

func (s fromNumbers) usable() error {
	_, err := disposable.New(s.numbers, s.cfg)
	return err
}

func (s fromNumbers) take(ctx context.Context, w want) (holding, error) {
	if s.cfg.Logger == nil {
		s.cfg.Logger = w.log
	}
	worker, err := disposable.New(s.numbers, s.cfg)
	if err != nil {
		return holding{}, err
	}
	r, err := worker.Acquire(ctx, w.terms)
	if err != nil {
		return holding{}, err
	}
	if err := w.within(r); err != nil {
		return holding{}, err
	}
	return holding{id: r.WorkerID, release: worker.Release}, nil
}

// within returns an error if the run's ticks are not all reserved.
func (w want) within(r uid.Reservation) error {
	if r.First > w.first || r.Last < w.last {
		return fmt.Errorf("%w: worker ID %d has the ticks %d to %d, the run needs %d to %d", uid.ErrNoReservation,
			r.WorkerID, r.First, r.Last, w.first, w.last)
	}
	return nil
}
