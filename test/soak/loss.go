package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/test/engines"
)

// tag reads the row of the numbers, which nobody else writes meanwhile, or changes it.
func (f *fleet) tag(change func(*storage.Segment)) (row storage.Segment, err error) {
	at := space{Share: f.slots[0].Share, Place: f.slots[0].Place}
	err = f.world.ask(at, func(ctx context.Context, s engines.Store) error {
		return s.Segments.Change(ctx, f.world.namespace(at.Share), func(now *storage.Segment) error {
			if now.Fresh {
				return errors.New("there is no tag")
			}
			if change != nil {
				change(now)
			}
			row = *now
			return nil // so that it is written, and seen to be the newest
		})
	})
	return row, err
}

// A loss has a store lose what some processes have taken, and not what others have. The former have to notice when they
// next take numbers, and the latter to go on. Its methods do nothing once something has gone wrong.
type loss struct {
	*fleet
	mark, lose func() error // what is written in between is lost
	living     []*incarnation
	err        error
}

// lose plays a loss on a pair, or else by a row that is put back, and returns how many generators' numbers were lost,
// and how many others there were.
func (s *settings) lose(w *world) (lost, kept int, err error) {
	place := servers
	if w.places[pair] != nil {
		place = pair
	}
	slots := numberSlots(8, place, true)
	if err := w.renew(slots); err != nil {
		return 0, 0, err
	}
	r, err := newRound(s.length, nil, w, slots, s.rate/10)
	if err != nil {
		return 0, 0, err
	}
	defer r.memory.Close()
	defer r.killAll()
	l := &loss{fleet: r.fleet}
	if p := w.places[pair]; p != nil {
		l.lose = p.promote
		l.mark = func() error {
			defer p.pair.Lag(true)
			return p.pair.CatchUp()
		}
	} else {
		var was storage.Segment
		l.mark = func() (err error) {
			was, err = r.tag(nil)
			was.Takers = slices.Clone(was.Takers)
			return err
		}
		l.lose = func() error {
			_, err := r.tag(func(now *storage.Segment) { was.Updated, *now = now.Updated, was })
			return err
		}
	}
	lost, kept = l.play()
	for _, in := range l.living {
		r.end(in)
	}
	if len(r.wrong) > 0 {
		l.do(func() error { return errors.New(strings.Join(r.wrong, "\n")) })
	}
	return lost, kept, l.err
}

func (l *loss) play() (nLost, nKept int) {
	l.startMore(6)
	l.freeze(l.living)
	l.do(l.mark)
	draw := l.living[min(2, len(l.living)):]
	for _, in := range draw {
		in.Resume()
	}
	l.awaitTakes(draw)
	l.freeze(draw)
	l.do(l.lose)
	var row storage.Segment
	l.do(func() (err error) { row, err = l.tag(nil); return err })
	had := map[*incarnation]int64{}
	var lost, kept []*incarnation
	for _, in := range l.living {
		at := l.ledger(in)
		had[in] = at.takes.Load()
		if slices.ContainsFunc(row.Takers, func(t storage.Taker) bool { return t.Last == at.newest() }) {
			kept = append(kept, in)
		} else {
			lost = append(lost, in)
		}
		in.Resume()
	}
	if len(lost) == 0 || len(kept) == 0 {
		l.violation("the store has lost what %d processes took, and kept what %d did", len(lost), len(kept))
	}
	l.await("those whose numbers were lost to notice", func() bool {
		return !slices.ContainsFunc(lost, func(in *incarnation) bool { return l.ledger(in).lost.Load() == 0 })
	})
	l.awaitTakes(kept)
	l.startMore(2)
	for _, in := range l.living {
		at, isLost := l.ledger(in), slices.Contains(lost, in)
		switch {
		case isLost && at.takes.Load() != had[in]:
			l.violation("process %d took numbers before it noticed that the store had lost some", in.number)
		case at.revived.Load() > 0:
			l.violation("process %d issued numbers after it had noticed", in.number)
		case !isLost && at.lost.Load() > 0:
			l.violation("process %d says that numbers were lost, but they were not: %s", in.number, in.stderr.String())
		}
	}
	return len(lost), len(kept)
}

func (l *loss) ledger(in *incarnation) *ledger { return &l.memory.ledgers[in.number] }

func (l *loss) do(what func() error) {
	if l.err == nil {
		l.err = what()
	}
}

// await waits for something that has to happen.
func (l *loss) await(what string, ok func() bool) {
	const limit = time.Minute
	for began := time.Now(); l.err == nil && !ok(); time.Sleep(time.Millisecond) {
		if time.Since(began) > limit {
			l.err = fmt.Errorf("waited %v for %s", limit, what)
		}
	}
}

// startMore starts processes, and waits until they have taken numbers.
func (l *loss) startMore(n int) {
	from := len(l.living)
	for range n {
		l.do(func() error {
			in, err := l.start(len(l.living))
			if err == nil {
				l.living = append(l.living, in)
			}
			return err
		})
	}
	l.awaitTakes(l.living[from:])
}

// awaitTakes waits until each of some processes has taken numbers once more.
func (l *loss) awaitTakes(some []*incarnation) {
	for _, in := range some {
		at := l.ledger(in)
		before := at.takes.Load()
		l.await("a process to take numbers", func() bool { return at.takes.Load() > before })
	}
}

// freeze stops processes, none of which is just taking numbers, nor knows of takes whose outcome is
// open.
func (l *loss) freeze(some []*incarnation) {
	for _, in := range some {
		l.await("a process to leave the store alone", func() bool {
			in.Pause()
			if at := l.ledger(in); at.calls.Load() == 0 && len(at.all(isOpen)) == 0 {
				return true
			}
			in.Resume()
			return false
		})
	}
}
