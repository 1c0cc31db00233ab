package faults

import (
	"context"
	"errors"
	"slices"

	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/segment"
)

// wrongStores make stores that are wrong on purpose, by what they do.
var wrongStores = map[string]func(segment.Store) segment.Store{
	refusedTaken: func(s segment.Store) segment.Store { return &deaf{s} },
	givenTwice:   func(s segment.Store) segment.Store { return &generous{Store: s} },
	skipping:     func(s segment.Store) segment.Store { return &wasteful{s} },
}

// The names of the wrong stores.
const (
	refusedTaken = "takes a refused write for done"
	givenTwice   = "gives numbers back twice"
	skipping     = "skips numbers"
)

// deaf takes a write that was refused, because another process had written meanwhile, for done.
type deaf struct{ segment.Store }

func (s *deaf) Change(ctx context.Context, tag string, decide func(*segmentstore.Row) error) error {
	row, err := peek(ctx, s.Store, tag)
	if err != nil {
		return err
	}
	was := row
	was.Takers = slices.Clone(row.Takers)
	if err := decide(&row); err != nil {
		return err
	}
	err = s.Store.Change(ctx, tag, func(now *segmentstore.Row) error {
		if !now.Equal(&was) {
			return errPeek
		}
		row.Updated = now.Updated
		*now = row
		return nil
	})
	if errors.Is(err, errPeek) {
		return nil
	}
	return err
}

// errPeek is returned by a decision that only wants to see the row.
var errPeek = errors.New("only a look")

// peek reads the row of a tag.
func peek(ctx context.Context, s segment.Store, tag string) (row segmentstore.Row, err error) {
	err = s.Change(ctx, tag, func(now *segmentstore.Row) error {
		row = *now
		row.Takers = slices.Clone(now.Takers)
		return errPeek
	})
	if errors.Is(err, errPeek) {
		err = nil
	}
	return row, err
}

// generous gives numbers that it has given back once more when it takes the next ones, though others
// may have taken them since.
type generous struct {
	segment.Store
	from int64 // the first of them; 0 for none
}

func (s *generous) Change(ctx context.Context, tag string, decide func(*segmentstore.Row) error) error {
	var gave int64
	err := s.Store.Change(ctx, tag, func(row *segmentstore.Row) error {
		if s.from > 0 && row.Next > s.from {
			row.Next, row.Floor = s.from, s.from
		}
		gave = 0
		next := row.Next
		err := decide(row)
		if row.Next < next {
			gave = row.Next
		}
		return err
	})
	if err == nil {
		s.from = gave
	}
	return err
}

// wasteful takes some more numbers than it says.
type wasteful struct{ segment.Store }

func (s *wasteful) Change(ctx context.Context, tag string, decide func(*segmentstore.Row) error) error {
	return s.Store.Change(ctx, tag, func(row *segmentstore.Row) error {
		next := row.Next
		err := decide(row)
		if err == nil && row.Next > next {
			row.Next += 7
		}
		return err
	})
}
