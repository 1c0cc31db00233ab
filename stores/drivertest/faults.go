package drivertest

import (
	"context"
	"errors"
	"sync"

	"github.com/uidgen/uid/internal/segmentjson"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// faults holds back writes for a while.
type faults struct {
	mu   sync.Mutex
	late []func()
}

func (f *faults) deliver() {
	f.mu.Lock()
	late := f.late
	f.late = nil
	f.mu.Unlock()
	for _, write := range late {
		write()
	}
}

// A faulty driver has the fault of its next request: of any for Refuse, else of a Write.
type faulty struct {
	stores.Driver
	segmentjson.Codec
	f *faults

	mu   sync.Mutex
	next storetest.Fault
}

// open returns a client of the database, and its faults.
func (f *faults) open(s Subject) (stores.Driver, *faulty, error) {
	d, err := s.Open()
	bad := &faulty{Driver: d, f: f, Codec: segmentjson.JSON{}}
	if c, is := d.(segmentjson.Codec); is {
		bad.Codec = c
	}
	if l, is := d.(stores.Lister); is {
		return struct {
			*faulty
			stores.Lister
		}{bad, l}, bad, err
	}
	return bad, bad, err
}

func (d *faulty) set(f storetest.Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next = f
}

// take returns the fault, if it is of that kind of request, and takes it back.
func (d *faulty) take(write bool) (f storetest.Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if write || d.next == storetest.Refuse {
		f, d.next = d.next, storetest.OK
	}
	return f
}

var errCut = worker.Transient(errors.New("drivertest: the connection was cut"))

func (d *faulty) Read(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	if d.take(false) == storetest.Refuse {
		return nil, errCut
	}
	return d.Driver.Read(ctx, q)
}

func (d *faulty) Write(ctx context.Context, w stores.Write) (stored bool, now *stores.Answer, err error) {
	switch d.take(true) {
	case storetest.LoseReply:
		if stored, now, err := d.Driver.Write(ctx, w); !stored {
			return stored, now, err
		}
		fallthrough
	case storetest.Refuse, storetest.LoseWrite:
		return false, nil, errCut
	case storetest.Delay:
		d.f.mu.Lock()
		defer d.f.mu.Unlock()
		d.f.late = append(d.f.late, func() { _, _, _ = d.Driver.Write(context.WithoutCancel(ctx), w) })
		return false, nil, errCut
	}
	return d.Driver.Write(ctx, w)
}

func (d *faulty) Inspect(ctx context.Context, key string) (lossy []string, err error) {
	if i, is := d.Driver.(stores.Inspector); is {
		return i.Inspect(ctx, key)
	}
	return nil, nil
}

type leases struct {
	lease.Store
	faulty *faulty
}

type segments struct {
	segment.Store
	faulty *faulty
}
