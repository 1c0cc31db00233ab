package drivers

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/uidgen/uid/stores"
)

// A Wrong driver is a Memory, but for what is replaced here: what it reads or answers, and what it writes.
type Wrong struct {
	*Memory
	Reads  func(ctx context.Context, q stores.Query) (*stores.Answer, error)
	Writes func(ctx context.Context, w stores.Write) (stored bool, now *stores.Answer, err error)
}

// Read implements [stores.Driver].
func (d Wrong) Read(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	if d.Reads != nil {
		return d.Reads(ctx, q)
	}
	return d.Memory.Read(ctx, q)
}

// Write implements [stores.Driver].
func (d Wrong) Write(ctx context.Context, w stores.Write) (stored bool, now *stores.Answer, err error) {
	if d.Writes != nil {
		return d.Writes(ctx, w)
	}
	return d.Memory.Write(ctx, w)
}

// Answers is wrong in what it answers.
func Answers(m *Memory, spoil func(q stores.Query, a *stores.Answer)) stores.Driver {
	return Wrong{Memory: m, Reads: func(ctx context.Context, q stores.Query) (*stores.Answer, error) {
		a, err := m.Read(ctx, q)
		if err == nil {
			spoil(q, a)
		}
		return a, err
	}}
}

// Stores is wrong in what it compares and stores.
func Stores(m *Memory, spoil func(w *stores.Write)) stores.Driver {
	return Wrong{Memory: m, Writes: func(ctx context.Context, w stores.Write) (bool, *stores.Answer, error) {
		spoil(&w)
		return m.Write(ctx, w)
	}}
}

// Careless compares nothing with what was read.
func Careless(m *Memory) stores.Driver { return Stores(m, func(w *stores.Write) { w.Were = nil }) }

// Unaware does not know that writes were lost.
func Unaware(m *Memory) stores.Driver {
	return Stores(m, func(w *stores.Write) { w.Read, _ = m.Read(context.Background(), stores.Query{}) })
}

// Forgetful acknowledges each fifth write, and does not store it.
func Forgetful(m *Memory) stores.Driver {
	var n atomic.Int64
	return Stores(m, func(w *stores.Write) {
		if n.Add(1)%5 == 0 {
			w.Puts = nil
		}
	})
}

// Stale answers as it has before, where the Newest is not asked for, and does not say so.
func Stale(m *Memory) stores.Driver {
	var was sync.Map
	return Wrong{Memory: m, Reads: func(ctx context.Context, q stores.Query) (*stores.Answer, error) {
		a, err := m.Read(ctx, q)
		if err != nil || q.Newest {
			return a, err
		}
		old, _ := was.LoadOrStore(fmt.Sprint(q), a)
		return old.(*stores.Answer), nil
	}}
}
