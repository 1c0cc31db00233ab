package measure

import (
	"errors"
	"sync"
	"time"

	"github.com/uidgen/uid/benchmarks/subject"
)

// open opens a source, has it draw a first ID, for which it may have to connect or to fill
// buffers, and makes drawers.
func open(s subject.Subject, drawers int) (subject.Source, []subject.Drawer, error) {
	src, err := s.Open()
	if err != nil {
		return nil, nil, err
	}
	draw := make([]subject.Drawer, drawers)
	for i := range draw {
		draw[i] = subject.DrawerOf(src)
	}
	if err := draw[0].Draw(1); err != nil {
		return nil, nil, errors.Join(err, subject.Close(src))
	}
	return src, draw, nil
}

// with calls f with drawers of a new source, and closes that.
func with(s subject.Subject, drawers int, f func([]subject.Drawer) error) error {
	src, draw, err := open(s, drawers)
	if err != nil {
		return err
	}
	return errors.Join(f(draw), subject.Close(src))
}

// together calls f in goroutines that begin at the same time, and returns how long it took
// until the last one was done.
func together(goroutines int, f func(i int, began time.Time) error) (time.Duration, error) {
	var (
		errs  = make([]error, goroutines)
		begin = make(chan struct{})
		began time.Time // one monotonic clock for all
		ended sync.WaitGroup
	)
	for i := range goroutines {
		ended.Go(func() {
			<-begin
			errs[i] = f(i, began)
		})
	}
	began = time.Now()
	close(begin)
	ended.Wait()
	return time.Since(began), errors.Join(errs...)
}
