package lease

import (
	"context"
	"fmt"
	"sync"

	"github.com/uidgen/uid/worker"
)

// A joint carries requests out together: those that come while others are carried out wait for
// each other and become the next batch. Nobody waits for others to come. All methods may be called
// by any number of goroutines at once.
type joint struct {
	most int // requests of a batch
	// do carries a batch out and answers each request, or puts it back. Its context ends when all
	// of the batch have left. Batches run one after another, in goroutines of their own.
	do func(ctx context.Context, batch []*request)

	mu      sync.Mutex
	waiting []*request // the oldest first
	running bool       // a goroutine carries out batches
}

// A request is a caller's part of a batch.
type request struct {
	ctx  context.Context
	done chan error // has room for the one answer
	// ask is what the caller wants. Only the joint's do knows what it is.
	ask any

	mu   sync.Mutex
	left bool // the caller has returned, and looks at nothing any more
}

// join has what is asked carried out, and returns the answer. It returns a marked error when ctx
// ends before.
func (j *joint) join(ctx context.Context, ask any) error {
	r := &request{ctx: ctx, done: make(chan error, 1), ask: ask}
	j.mu.Lock()
	j.waiting = append(j.waiting, r)
	if !j.running {
		j.running = true
		go j.run()
	}
	j.mu.Unlock()
	select {
	case err := <-r.done:
		return err
	case <-ctx.Done():
	}
	if err, answered := r.leave(); answered {
		return err
	}
	return gaveUpWaiting(ctx)
}

// gaveUpWaiting returns the error of a call whose context has ended before its turn, or before its
// batch. It may pass: it says nothing against the store.
func gaveUpWaiting(ctx context.Context) error {
	return worker.Transient(fmt.Errorf("wait for other leases of the group: %w", ctx.Err()))
}

// run carries out batches until nobody waits.
func (j *joint) run() {
	for {
		batch := j.next()
		if len(batch) == 0 {
			return
		}
		j.carryOut(batch)
	}
}

// next takes the oldest requests whose callers are still there.
func (j *joint) next() (batch []*request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	taken := 0
	for _, r := range j.waiting {
		if len(batch) == j.most {
			break
		}
		taken++
		if r.ctx.Err() == nil {
			batch = append(batch, r)
		}
	}
	j.waiting = j.waiting[taken:]
	if len(batch) == 0 {
		j.waiting, j.running = nil, false
	}
	return batch
}

// carryOut carries a batch out, for as long as one of its callers is there.
func (j *joint) carryOut(batch []*request) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(batch[0].ctx))
	defer cancel()
	var mu sync.Mutex
	there := len(batch)
	for _, r := range batch {
		defer context.AfterFunc(r.ctx, func() {
			mu.Lock()
			defer mu.Unlock()
			if there--; there == 0 {
				cancel()
			}
		})()
	}
	j.do(ctx, batch)
}

// putBack makes requests the next ones to be carried out. Only do calls it.
func (j *joint) putBack(batch []*request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.waiting = append(batch[:len(batch):len(batch)], j.waiting...)
}

// run calls f unless the caller has left, and keeps it from leaving meanwhile. What f has written
// the caller sees when it returns, in whatever way.
func (r *request) run(f func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left {
		return errLeft
	}
	return f()
}

// leave says that the caller returns. If there is an answer by now it returns that.
func (r *request) leave() (err error, answered bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case err := <-r.done:
		return err, true
	default:
		r.left = true
		return nil, false
	}
}

// answer answers the caller, if it is still there.
func (r *request) answer(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.left {
		r.done <- err
	}
}
