package etcdtest

import (
	"context"
	"sync"

	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/segment/segmenttest"
)

// Segments returns what [segmenttest.Run] runs on: open returns a new client, whose connection has
// the options of f. Its Open, Fault and Deliver are set, and the caller sets what else the store is
// able to.
func Segments(open func(f *Faults) (segment.Store, error)) segmenttest.Subject {
	var mu sync.Mutex
	var all []*Faults
	return segmenttest.Subject{
		Open: func() (segment.Store, error) {
			f := new(Faults)
			s, err := open(f)
			if err != nil {
				return nil, err
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, f)
			return &faultySegments{Store: s, calls: calls{faults: f}}, nil
		},
		Fault: func(client segment.Store, fault segmenttest.Fault) bool {
			client.(*faultySegments).set(fault)
			return true
		},
		Deliver: func() {
			mu.Lock()
			defer mu.Unlock()
			for _, f := range all {
				f.Deliver()
			}
		},
	}
}

type faultySegments struct {
	segment.Store
	calls
}

func (s *faultySegments) Change(ctx context.Context, tag string, decide func(*segment.Row) error) error {
	return s.call(func() error { return s.Store.Change(ctx, tag, decide) })
}
