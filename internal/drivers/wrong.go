package drivers

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid/stores"
)

// A Wrong driver is a Memory, but for what is replaced here.
type Wrong struct {
	*Memory
	name   func() string
	reads  func(ctx context.Context, q stores.Query) (*stores.Answer, error)
	writes func(ctx context.Context, w stores.Write) (stored bool, now *stores.Answer, err error)
}

// Name implements [stores.Driver].
func (d Wrong) Name() string {
	if d.name != nil {
		return d.name()
	}
	return d.Memory.Name()
}

// Read implements [stores.Driver].
func (d Wrong) Read(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	if d.reads != nil {
		return d.reads(ctx, q)
	}
	return d.Memory.Read(ctx, q)
}

// Write implements [stores.Driver].
func (d Wrong) Write(ctx context.Context, w stores.Write) (stored bool, now *stores.Answer, err error) {
	if d.writes != nil {
		return d.writes(ctx, w)
	}
	return d.Memory.Write(ctx, w)
}

// answers is wrong in what it answers.
func answers(m *Memory, spoil func(q stores.Query, a *stores.Answer)) stores.Driver {
	return Wrong{Memory: m, reads: func(ctx context.Context, q stores.Query) (*stores.Answer, error) {
		a, err := m.Read(ctx, q)
		if err == nil {
			spoil(q, a)
		}
		return a, err
	}}
}

// puts is wrong in what it compares and stores.
func puts(m *Memory, spoil func(w *stores.Write)) stores.Driver {
	return Wrong{Memory: m, writes: func(ctx context.Context, w stores.Write) (bool, *stores.Answer, error) {
		w.Were, w.Puts = slices.Clone(w.Were), slices.Clone(w.Puts)
		spoil(&w)
		return m.Write(ctx, w)
	}}
}

// Piecemeal is right, and writes one record at a time: a namespace after the rows that are new.
func Piecemeal(m *Memory) stores.Driver {
	return Wrong{Memory: m, writes: func(ctx context.Context, w stores.Write) (bool, *stores.Answer, error) {
		one := w
		for _, put := range w.Puts[1:] {
			i := slices.IndexFunc(w.Were, func(r stores.Record) bool { return r.Key == put.Key })
			one.Were, one.Puts = w.Were[i:i+1], []stores.Record{put}
			if stored, now, err := m.Write(ctx, one); !stored {
				return stored, now, err
			}
			w.Were = slices.Concat(w.Were[:i], w.Were[i+1:])
		}
		if len(w.Puts) > 1 {
			time.Sleep(time.Millisecond) // others come between
		}
		w.Puts = w.Puts[:1]
		return m.Write(ctx, w)
	}}
}

// Nameless has another name each time.
func Nameless(m *Memory) stores.Driver { return Wrong{Memory: m, name: rand.Text} }

// ThreeBytes keeps no characters of four bytes.
func ThreeBytes(m *Memory) stores.Driver {
	return puts(m, func(w *stores.Write) {
		for i, put := range w.Puts {
			w.Puts[i].Text = strings.ReplaceAll(put.Text, "\U0001F984", "?")
		}
	})
}

// Shortsighted leaves out the first record of each page.
func Shortsighted(m *Memory) stores.Driver {
	return answers(m, func(_ stores.Query, a *stores.Answer) {
		for i, page := range a.Pages {
			a.Pages[i] = page[min(1, len(page)):]
		}
	})
}

// Careless compares nothing with what was read.
func Careless(m *Memory) stores.Driver { return puts(m, func(w *stores.Write) { w.Were = nil }) }

// Selfish compares only what it writes.
func Selfish(m *Memory) stores.Driver {
	return puts(m, func(w *stores.Write) {
		w.Were = slices.DeleteFunc(w.Were, func(r stores.Record) bool {
			return !slices.ContainsFunc(w.Puts, func(put stores.Record) bool { return put.Key == r.Key })
		})
	})
}

// Halving stores no more than some records of a write.
func Halving(m *Memory) stores.Driver {
	return puts(m, func(w *stores.Write) { w.Puts = w.Puts[:min(len(w.Puts), 3)] })
}

// Forgetful acknowledges each fifth write, and does not store it.
func Forgetful(m *Memory) stores.Driver {
	var n atomic.Int64
	return puts(m, func(w *stores.Write) {
		if n.Add(1)%5 == 0 {
			w.Puts = nil
		}
	})
}

// Torn reads keys one after another.
func Torn(m *Memory) stores.Driver {
	return answers(m, func(_ stores.Query, a *stores.Answer) {
		for i, r := range a.Records {
			time.Sleep(time.Millisecond) // of a bubble
			a.Records[i].Text = m.Text(r.Key)
		}
	})
}

// Stale answers as it has before, where the Newest is not asked for, and does not say so.
func Stale(m *Memory) stores.Driver {
	var was sync.Map
	return Wrong{Memory: m, reads: func(ctx context.Context, q stores.Query) (*stores.Answer, error) {
		a, err := m.Read(ctx, q)
		if err != nil || q.Newest {
			return a, err
		}
		old, _ := was.LoadOrStore(fmt.Sprint(q), a)
		return old.(*stores.Answer), nil
	}}
}

// Slow reads the clock once.
func Slow(m *Memory) stores.Driver {
	now := m.Time()
	return answers(m, func(_ stores.Query, a *stores.Answer) { a.Clock.Now = now })
}

// Unaware does not know that writes were lost.
func Unaware(m *Memory) stores.Driver {
	return puts(m, func(w *stores.Write) { w.Read, _ = m.Read(context.Background(), stores.Query{}) })
}

// Silent does not tell it.
func Silent(m *Memory) stores.Driver {
	m.Tells = func(int) string { return "always the same" }
	return m
}

// Unmarked does not mark the error of a context that has ended.
func Unmarked(m *Memory) stores.Driver {
	return Wrong{Memory: m, reads: func(ctx context.Context, q stores.Query) (*stores.Answer, error) {
		a, err := m.Read(ctx, q)
		if err != nil {
			err = fmt.Errorf("interrupted: %v", ctx.Err())
		}
		return a, err
	}}
}
