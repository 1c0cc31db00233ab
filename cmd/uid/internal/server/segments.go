package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
)

// lookups is how many tags at a time are looked for that nobody has drawn from yet: they may not exist.
const lookups = 8

// Segments draws the numbers of a store's tags. All methods may be called by any number of
// goroutines at once. A tag that the store does not have takes up no memory.
type Segments struct {
	store    segment.Store
	cfg      segment.Config
	registry *segment.Registry
	known    sync.Map      // tags that the store has
	looking  chan struct{} // a slot for each look for another tag
}

// NewSegments returns the segments of a store. It does not touch the store. It returns an error that
// wraps [uid.ErrConfig] when a setting cannot be used.
func NewSegments(s segment.Store, cfg segment.Config) (*Segments, error) {
	cfg.Create = false // or strangers would fill the store
	r, err := segment.NewRegistry(s, cfg)
	if err != nil {
		return nil, err
	}
	return &Segments{store: s, cfg: cfg, registry: r, looking: make(chan struct{}, lookups)}, nil
}

// CloseContext gives unused numbers back; see [segment.Registry.CloseContext].
func (s *Segments) CloseContext(ctx context.Context) error { return s.registry.CloseContext(ctx) }

// Try returns the next number of a tag if there is one in hand.
func (s *Segments) Try(tag string) (uid.UID, bool) {
	if _, ok := s.known.Load(tag); !ok {
		return 0, false
	}
	g, err := s.registry.Get(tag)
	if err != nil {
		return 0, false
	}
	u, err := g.TryGetUID()
	return u, err == nil
}

// Next returns the next number of a tag, and waits for it as long as ctx lasts. It returns
// [segment.ErrNoTag] when the store does not have the tag, and the errors of
// [segment.Generator.GetUIDContext].
func (s *Segments) Next(ctx context.Context, tag string) (uid.UID, error) {
	g, err := s.generator(ctx, tag)
	if err != nil {
		return 0, err
	}
	return g.GetUIDContext(ctx)
}

// Range returns the last of n numbers in a row, all of which are the caller's. Where two segments meet
// that do not follow one another, it takes n others from the store at once, and skips up to n.
func (s *Segments) Range(ctx context.Context, tag string, n int) (last uid.UID, err error) {
	g, err := s.generator(ctx, tag)
	if err != nil {
		return 0, err
	}
	numbers := make([]uid.UID, n)
	if _, err := g.FillContext(ctx, numbers); err != nil {
		return 0, err
	}
	if inARow(numbers) {
		return numbers[n-1], nil
	}
	cfg := s.cfg
	cfg.MinStep, cfg.MaxStep, cfg.Total = int64(n), int64(n), int64(n)
	if g, err = segment.New(s.store, tag, cfg); err != nil {
		return 0, err
	}
	defer func() { _ = g.CloseContext(ctx) }() // what it cannot give back is skipped
	_, err = g.FillContext(ctx, numbers)
	return numbers[n-1], err
}

func inARow(numbers []uid.UID) bool {
	for i, u := range numbers {
		if u != numbers[0]+uid.UID(i) {
			return false
		}
	}
	return true
}

// generator returns the generator of a tag. Only a tag that the store has gets one: any other would stay, and ask the
// store again and again, once its client has gone away or the store is down.
func (s *Segments) generator(ctx context.Context, tag string) (*segment.Generator, error) {
	if _, ok := s.known.Load(tag); !ok {
		if err := s.look(ctx, tag); err != nil {
			return nil, err
		}
		s.known.Store(tag, nil)
	}
	return s.registry.Get(tag)
}

var errLook = errors.New("only a look")

// look returns why a tag has no generator.
func (s *Segments) look(ctx context.Context, tag string) error {
	if err := storage.CheckTag(tag); err != nil {
		return err
	}
	select {
	case s.looking <- struct{}{}:
		defer func() { <-s.looking }()
	case <-ctx.Done():
		return ctx.Err()
	}
	found := false
	err := s.store.Change(ctx, tag, func(row *storage.Segment) error {
		found = !row.Fresh || row.Floor > 0 // what the store has lost is for the generator to say
		return errLook
	})
	switch {
	case found:
		return nil
	case errors.Is(err, errLook):
		return fmt.Errorf("%w: %q", segment.ErrNoTag, tag)
	}
	return fmt.Errorf("%w of tag %q: %w", uid.ErrNoReservation, tag, cmp.Or(ctx.Err(), err))
}
