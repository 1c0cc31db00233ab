package segment

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/uidgen/uid"
)

// A Registry has a generator for each tag of a store, and makes it when it is first asked for. Any number of goroutines
// may call its methods at once.
//
// A tag that was drawn from costs 1.4 kB of memory until Forget or Close: do not let strangers choose the tags.
type Registry struct {
	store  Store
	cfg    Config
	shared *shared

	all sync.Map // tag to *Generator

	mu         sync.Mutex // of making, forgetting and closing
	closed     bool
	forgetting sync.WaitGroup // calls of Forget
}

// atOnce is how many of a registry's tags take numbers from the store, or give them back, at a
// time.
const atOnce = 8

// NewRegistry returns a registry whose generators all have the same configuration. It does not touch the store. It
// returns [uid.ErrConfig] when a setting cannot be used.
func NewRegistry(s Store, cfg Config) (*Registry, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, fmt.Errorf("segment: %w: no Store", uid.ErrConfig)
	}
	return &Registry{store: s, cfg: cfg, shared: newShared(atOnce)}, nil
}

// Get returns the generator of a tag, the same one each time until Forget. It does not touch the store, and usually
// takes no lock. It returns [uid.ErrConfig] or [uid.ErrRange] for what can be no tag (see [New]), and [uid.ErrClosed]
// after Close.
func (r *Registry) Get(tag string) (*Generator, error) {
	if g, ok := r.all.Load(tag); ok {
		return g.(*Generator), nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, fmt.Errorf("segment: %w: tag %.140q", uid.ErrClosed, tag)
	}
	if g, ok := r.all.Load(tag); ok {
		return g.(*Generator), nil
	}
	g, err := newGenerator(source{r.store, tag}, r.cfg, r.shared)
	if err != nil {
		return nil, err
	}
	r.all.Store(tag, g)
	return g, nil
}

// GetUID returns the next number of a tag; see [Generator.GetUID].
func (r *Registry) GetUID(tag string) (uid.UID, error) {
	g, err := r.Get(tag)
	if err != nil {
		return 0, err
	}
	return g.GetUID()
}

// All returns the generators, in no order.
func (r *Registry) All() iter.Seq[*Generator] {
	return func(yield func(*Generator) bool) {
		r.all.Range(func(_, g any) bool { return yield(g.(*Generator)) })
	}
}

// Forget closes the generator of a tag as its CloseContext does; the next Get makes another one.
func (r *Registry) Forget(ctx context.Context, tag string) error {
	r.mu.Lock()
	if r.closed { // and so is the generator, or will be
		r.mu.Unlock()
		return nil
	}
	r.forgetting.Add(1)
	defer r.forgetting.Done()
	g, ok := r.all.LoadAndDelete(tag)
	r.mu.Unlock()
	if !ok {
		return nil
	}
	return g.(*Generator).CloseContext(ctx)
}

// Close closes all generators and returns their errors; see [Generator.Close]. It waits for calls of Forget.
func (r *Registry) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 3*r.cfg.Timeout)
	defer cancel()
	return r.CloseContext(ctx)
}

// CloseContext is Close that waits for the store only as long as ctx lasts.
func (r *Registry) CloseContext(ctx context.Context) error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	var mu sync.Mutex
	var all []error
	var closing sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for g := range r.All() {
		r.all.Delete(g.Tag())
		slots <- struct{}{}
		closing.Go(func() {
			defer func() { <-slots }()
			if err := g.CloseContext(ctx); err != nil {
				mu.Lock()
				defer mu.Unlock()
				all = append(all, err)
			}
		})
	}
	closing.Wait()
	forgotten := make(chan struct{})
	go func() {
		r.forgetting.Wait()
		close(forgotten)
	}()
	select {
	case <-forgotten:
	case <-ctx.Done():
	}
	return errors.Join(all...)
}
