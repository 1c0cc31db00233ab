package segment

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/places"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/segment"
)

const (
	// MaxNumbers is how many numbers are taken at once unless --step says otherwise.
	MaxNumbers = 1_000_000
	// drawChunk is how many are drawn and written at a time. They are skipped when they cannot be
	// written.
	drawChunk = 1024
)

// A Drawing takes numbers of a tag and prints them.
type Drawing struct {
	Tag         string
	N           int64
	Step        int64 // the most that are taken at once
	First, Last int64 // bounds of the numbers; 0 for none
	Create      bool
	Lossy       bool

	Daily bool           // order numbers, of a tag for each day
	Zone  *time.Location // nil: UTC

	p       *cli.Program
	store   *places.Store
	listing *cli.Listing // nil: a line for each number
}

// A series is where the numbers come from.
type series struct {
	next  func(context.Context) (segment.OrderNumber, error)
	close func(context.Context) error
}

// Run takes the numbers from the segments of a store.
func (d *Drawing) Run(ctx context.Context, p *cli.Program, store *places.Store, s segment.Store) (err error) {
	d.p, d.store = p, store
	if err := d.durable(ctx, s); err != nil {
		return err
	}
	numbers, err := d.series(s)
	if err != nil {
		return cli.InputError{Err: err}
	}
	defer func() {
		if closeErr := d.store.Release(numbers.close); err == nil {
			err = closeErr
		} else if closeErr != nil {
			d.p.Log().Warn("numbers that were taken are skipped", "err", closeErr)
		}
	}()
	if err := d.print(ctx, numbers); err != nil {
		return err
	}
	if d.listing != nil {
		d.listing.End()
	}
	return d.p.Out.Flush()
}

// durable refuses a store that can lose numbers.
func (d *Drawing) durable(ctx context.Context, s segment.Store) error {
	if d.Lossy {
		return nil
	}
	var lossy []string
	err := d.store.Try(ctx, d.p, func(ctx context.Context) (err error) {
		lossy, err = s.Inspect(ctx)
		return err
	})
	if err != nil || len(lossy) == 0 {
		return err
	}
	return fmt.Errorf("%w, and would then give them out again: %s: %s; --%s accepts that",
		uid.ErrLossy, s.Name(), strings.Join(lossy, "; "), places.LossyFlag)
}

// series returns the generator.
func (d *Drawing) series(s segment.Store) (series, error) {
	step := min(d.Step, d.N)
	cfg := segment.Config{
		First: d.First, Last: d.Last, MinStep: step, MaxStep: step, Total: d.N, Create: d.Create,
		LossyStore: true, // durable has looked
		Timeout:    d.store.Timeout, Logger: d.p.Quiet(), Now: d.p.Now,
	}
	if d.Daily {
		days, err := segment.NewDaily(s, d.Tag, d.Zone, cfg)
		return series{days.Next, days.CloseContext}, err
	}
	g, err := segment.New(s, d.Tag, cfg)
	return series{func(ctx context.Context) (segment.OrderNumber, error) {
		u, err := g.GetUIDContext(ctx)
		return segment.OrderNumber{N: int64(u)}, err
	}, g.CloseContext}, err
}

// print draws the numbers and writes them.
func (d *Drawing) print(ctx context.Context, numbers series) error {
	chunk := make([]segment.OrderNumber, min(drawChunk, d.N))
	for left := d.N; left > 0; {
		n := 0
		err := d.store.Try(ctx, d.p, func(ctx context.Context) (err error) {
			for most := int(min(left, drawChunk)); err == nil && n < most; {
				if chunk[n], err = numbers.next(ctx); err == nil {
					n++
				}
			}
			switch {
			case n > 0: // an error comes again
				return nil
			case err != nil && ctx.Err() != nil:
				return retry.Transient(err) // try says that the time is up
			}
			return err
		})
		if err != nil {
			return err
		}
		for _, number := range chunk[:n] {
			d.put(number)
		}
		if err := d.p.Out.Failed(); err != nil {
			return err
		}
		left -= int64(n)
	}
	return nil
}

func (d *Drawing) put(n segment.OrderNumber) {
	switch {
	case d.listing != nil:
		d.listing.Add(d.Tag, uid.UID(n.N))
	case d.Daily:
		fmt.Fprintln(d.p.Out, n)
	default:
		d.p.Out.Number(n.N)
	}
}
