package segment

import (
	"context"
	"sync"
	"time"
)

// shared is what the generators of a registry have in common. It keeps them from asking a store
// that comes back all at once.
type shared struct {
	slots chan struct{} // one for each call of the store

	mu        sync.Mutex
	inspected time.Time
	lossy     []string
}

// inspectEvery is how long the result of an inspection is used.
const inspectEvery = time.Hour

func newShared(atOnce int) *shared { return &shared{slots: make(chan struct{}, atOnce)} }

func (s *shared) enter(ctx context.Context) error {
	select {
	case s.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *shared) leave() { <-s.slots }

// inspect returns what the store says of itself, or has said not long ago.
func (s *shared) inspect(ctx context.Context, store Store) (lossy []string, err error) {
	s.mu.Lock()
	lossy, fresh := s.lossy, !s.inspected.IsZero() && time.Since(s.inspected) < inspectEvery
	s.mu.Unlock()
	if fresh && len(lossy) == 0 {
		return lossy, nil
	}
	if lossy, err = store.Inspect(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inspected, s.lossy = time.Now(), lossy
	return lossy, nil
}
