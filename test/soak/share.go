package main

import (
	"context"
	"sync"
	"time"

	"github.com/uidgen/uid"
)

// A share is a worker whose IDs are a part of the layout's, so that several stores can
// serve one layout. It notes what it grants, for the checks.
type share struct {
	uid.Worker
	first, count int64 // of the layout's worker IDs
	granted      *grants
}

func (s *share) Acquire(ctx context.Context, t uid.Terms) (uid.Reservation, error) {
	t.MaxWorkerID = min(t.MaxWorkerID-s.first, s.count-1)
	r, err := s.Worker.Acquire(ctx, t)
	return s.grant(r, err)
}

func (s *share) Extend(ctx context.Context, through int64) (uid.Reservation, error) {
	r, err := s.Worker.Extend(ctx, through)
	return s.grant(r, err)
}

func (s *share) grant(r uid.Reservation, err error) (uid.Reservation, error) {
	if err != nil {
		return r, err
	}
	r.WorkerID += s.first
	s.granted.add(r)
	return r, nil
}

// grants are what a process was ever granted, whether or not it is still so.
type grants struct {
	mu    sync.Mutex
	byID  map[int64]uid.Reservation
	ahead time.Duration // how far ahead of the clock a reservation began at most, when it was granted
}

func (g *grants) add(r uid.Reservation) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.Last >= r.First {
		g.ahead = max(g.ahead, time.Until(layout.TimeOf(r.First)))
		if old, ok := g.byID[r.WorkerID]; ok {
			r.First, r.Last = min(r.First, old.First), max(r.Last, old.Last)
		}
		g.byID[r.WorkerID] = r
	}
}

// of returns all ticks that were granted under a worker ID, and how far ahead any reservation began.
func (g *grants) of(workerID int64) (r uid.Reservation, ahead time.Duration, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r, ok = g.byID[workerID]
	return r, g.ahead, ok
}
