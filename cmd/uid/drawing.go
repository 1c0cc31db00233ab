package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/segment"
)

const (
	// maxNumbers is how many numbers are taken at once unless --step says otherwise.
	maxNumbers = 1_000_000
	// drawChunk is how many are drawn and written at a time. They are skipped when they cannot be
	// written.
	drawChunk = 1024
)

// A drawing takes numbers of a tag and prints them.
type drawing struct {
	*tables
	tag         string
	n           int64
	step        int64 // the most that are taken at once
	first, last int64 // bounds of the numbers; 0 for none
	create      bool
	lossy       bool

	listing *listing // nil: a line for each number

	daily bool           // order numbers, of a tag for each day
	zone  *time.Location // nil: UTC
}

// A series is where the numbers come from: fill draws some, and returns how many it got.
type series struct {
	fill  func(ctx context.Context, dst []segment.OrderNumber) (n int, err error)
	close func(context.Context) error
}

func (d *drawing) run(ctx context.Context, s segment.Store) (err error) {
	if err := d.durable(ctx, s); err != nil {
		return err
	}
	numbers, err := d.series(s)
	if err != nil {
		return inputError{err}
	}
	defer func() {
		if closeErr := d.store.release(numbers.close); err == nil {
			err = closeErr
		} else if closeErr != nil {
			d.log().Warn("numbers that were taken are skipped", "err", closeErr)
		}
	}()
	if err := d.print(ctx, numbers); err != nil {
		return err
	}
	if d.listing != nil {
		d.listing.end()
	}
	return d.out.Flush()
}

// durable refuses a store that can lose numbers.
func (d *drawing) durable(ctx context.Context, s segment.Store) error {
	if d.lossy {
		return nil
	}
	var lossy []string
	err := d.try(ctx, func(ctx context.Context) (err error) {
		lossy, err = s.Inspect(ctx)
		return err
	})
	if err != nil || len(lossy) == 0 {
		return err
	}
	return fmt.Errorf("%w, and would then give them out again: %s: %s; --%s accepts that",
		uid.ErrLossy, s.Name(), strings.Join(lossy, "; "), lossyFlag)
}

// series returns the generator.
func (d *drawing) series(s segment.Store) (series, error) {
	step := min(d.step, d.n)
	cfg := segment.Config{
		First: d.first, Last: d.last, MinStep: step, MaxStep: step, Total: d.n, Create: d.create,
		LossyStore: true, // durable has looked
		Timeout:    d.store.timeout, Logger: d.quietly(), Now: d.now,
	}
	if d.daily {
		days, err := segment.NewDaily(s, d.tag, d.zone, cfg)
		return series{func(ctx context.Context, dst []segment.OrderNumber) (n int, err error) {
			for err == nil && n < len(dst) {
				if dst[n], err = days.Next(ctx); err == nil {
					n++
				}
			}
			return n, err
		}, days.CloseContext}, err
	}
	g, err := segment.New(s, d.tag, cfg)
	return series{func(ctx context.Context, dst []segment.OrderNumber) (int, error) {
		uids := make([]uid.UID, len(dst))
		n, err := g.FillContext(ctx, uids)
		for i, u := range uids[:n] {
			dst[i].N = int64(u)
		}
		return n, err
	}, g.CloseContext}, err
}

// print draws the numbers and writes them.
func (d *drawing) print(ctx context.Context, numbers series) error {
	bar := newProgress(d.stdout, d.stderr, d.n)
	defer bar.end()
	chunk := make([]segment.OrderNumber, min(drawChunk, d.n))
	for left := d.n; left > 0; {
		n := 0
		err := d.try(ctx, func(ctx context.Context) (err error) {
			n, err = numbers.fill(ctx, chunk[:min(left, drawChunk)])
			switch {
			case n > 0:
				return nil // an error comes again
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
		if err := d.out.failed(); err != nil {
			return err
		}
		left -= int64(n)
		bar.add(n)
	}
	return nil
}

func (d *drawing) put(n segment.OrderNumber) {
	switch {
	case d.listing != nil:
		d.listing.add(cell{value: d.tag}, cell{value: uid.UID(n.N)})
	case d.daily:
		fmt.Fprintln(d.out, n)
	default:
		d.out.number(n.N)
	}
}
