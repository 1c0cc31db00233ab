package drivertest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/internal/memory"
)

// A wrong driver is one in memory, but for what is replaced here.
type wrong struct {
	*memory.Driver
	read  func(m *memory.Driver, ctx context.Context, q stores.Query) (*stores.Answer, error)
	write func(m *memory.Driver, ctx context.Context, w stores.Write) (bool, *stores.Answer, error)
}

func (d wrong) Read(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	if d.read != nil {
		return d.read(d.Driver, ctx, q)
	}
	return d.Driver.Read(ctx, q)
}

func (d wrong) Write(ctx context.Context, w stores.Write) (bool, *stores.Answer, error) {
	if d.write != nil {
		return d.write(d.Driver, ctx, w)
	}
	return d.Driver.Write(ctx, w)
}

// reads is wrong in what it answers.
func reads(f func(q stores.Query, a *stores.Answer)) wrong {
	return wrong{read: func(m *memory.Driver, ctx context.Context, q stores.Query) (*stores.Answer, error) {
		a, err := m.Read(ctx, q)
		if err == nil {
			f(q, a)
		}
		return a, err
	}}
}

// asks is wrong in what it reads.
func asks(f func(q *stores.Query)) wrong {
	return wrong{read: func(m *memory.Driver, ctx context.Context, q stores.Query) (*stores.Answer, error) {
		q.Keys, q.Ranges = slices.Clone(q.Keys), slices.Clone(q.Ranges)
		f(&q)
		return m.Read(ctx, q)
	}}
}

// writes is wrong in what it compares and stores.
func writes(f func(m *memory.Driver, w *stores.Write)) wrong {
	return wrong{write: func(m *memory.Driver, ctx context.Context, w stores.Write) (bool, *stores.Answer, error) {
		w.Were, w.Puts = slices.Clone(w.Were), slices.Clone(w.Puts)
		f(m, &w)
		return m.Write(ctx, w)
	}}
}

func eachRange(f func(r *stores.Range)) func(q *stores.Query) {
	return func(q *stores.Query) {
		for i := range q.Ranges {
			f(&q.Ranges[i])
		}
	}
}

// Each way in which a driver can be wrong is found by the check that is for it.
func TestWrongDrivers(t *testing.T) {
	forgets := func(which func(stores.Record) bool) wrong {
		return writes(func(_ *memory.Driver, w *stores.Write) { w.Were = slices.DeleteFunc(w.Were, which) })
	}
	for name, c := range map[string]struct {
		driver wrong
		check  string
	}{
		"texts are cut": {reads(func(_ stores.Query, a *stores.Answer) {
			for i, r := range a.Records {
				a.Records[i].Text = r.Text[:min(len(r.Text), 4000)]
			}
		}), "records"},
		"texts are escaped anew": {writes(func(_ *memory.Driver, w *stores.Write) {
			for i := range w.Puts {
				w.Puts[i].Text = strings.ReplaceAll(w.Puts[i].Text, `\u003c`, "<")
			}
		}), "records"},
		"what is not there is left out": {reads(func(_ stores.Query, a *stores.Answer) {
			a.Records = slices.DeleteFunc(a.Records, func(r stores.Record) bool { return r.Text == "" })
		}), "records"},
		"one namespace for all": {wrong{read: func(m *memory.Driver, ctx context.Context,
			q stores.Query) (*stores.Answer, error) {
			one := q
			one.Keys = slices.Clone(q.Keys)
			for i, key := range q.Keys {
				k, _ := stores.ParseKey(key)
				k.Namespace = "a/b c:%d"
				one.Keys[i] = k.String()
			}
			a, err := m.Read(ctx, one)
			for i := range one.Keys {
				a.Records[i].Key = q.Keys[i]
			}
			return a, err
		}}, "records"},
		"First is left out":  {asks(eachRange(func(r *stores.Range) { r.First += "\x00" })), "ranges"},
		"Last is left out":   {asks(eachRange(func(r *stores.Range) { r.Last = r.Last[:len(r.Last)-1] })), "ranges"},
		"a Limit is passed":  {asks(eachRange(func(r *stores.Range) { r.Limit = max(r.Limit, 3) })), "ranges"},
		"a Limit is too low": {asks(eachRange(func(r *stores.Range) { r.Limit = min(r.Limit, 4) })), "ranges"},
		"a Limit of 0 is 1":  {asks(eachRange(func(r *stores.Range) { r.Limit = max(r.Limit, 1) })), "ranges"},
		"pages are backwards": {reads(func(_ stores.Query, a *stores.Answer) {
			for _, page := range a.Pages {
				slices.Reverse(page)
			}
		}), "ranges"},
		"nothing is compared": {forgets(func(stores.Record) bool { return true }), "refused writes"},
		"only what is written is compared": {writes(func(_ *memory.Driver, w *stores.Write) {
			w.Were = slices.DeleteFunc(w.Were, func(r stores.Record) bool {
				return !slices.ContainsFunc(w.Puts, func(put stores.Record) bool { return put.Key == r.Key })
			})
		}), "refused writes"},
		"what was not there is not compared": {forgets(func(r stores.Record) bool { return r.Text == "" }),
			"refused writes"},
		"all that was read is compared": {writes(func(_ *memory.Driver, w *stores.Write) {
			for _, page := range w.Read.Pages {
				w.Were = append(w.Were, page...)
			}
		}), "refused writes"},
		"a refused Write stores the rest": {writes(func(m *memory.Driver, w *stores.Write) {
			if len(w.Puts) == 2 {
				m.Set(w.Puts[1].Key, w.Puts[1].Text)
				w.Were = slices.DeleteFunc(w.Were, func(r stores.Record) bool { return r.Key == w.Puts[1].Key })
			}
		}), "refused writes"},
		"a refused Write answers what was read": {wrong{write: func(m *memory.Driver, ctx context.Context,
			w stores.Write) (bool, *stores.Answer, error) {
			stored, now, err := m.Write(ctx, w)
			if !stored {
				now = w.Read
			}
			return stored, now, err
		}}, "refused writes"},
		"rows in parts": {wrong{write: func(m *memory.Driver, ctx context.Context,
			w stores.Write) (bool, *stores.Answer, error) {
			if len(w.Puts) > 50 {
				part := w
				part.Were, part.Puts = w.Were[:40], w.Puts[:40]
				if stored, now, err := m.Write(ctx, part); !stored {
					return false, now, err
				}
				w.Were, w.Puts = w.Were[40:], w.Puts[40:]
			}
			return m.Write(ctx, w)
		}}, "many records"},
		"compared before it is written": {wrong{write: func(m *memory.Driver, ctx context.Context,
			w stores.Write) (bool, *stores.Answer, error) {
			now := w
			now.Puts = nil
			if stored, a, err := m.Write(ctx, now); !stored {
				return stored, a, err
			}
			time.Sleep(time.Millisecond)
			for _, put := range w.Puts {
				m.Set(put.Key, put.Text)
			}
			return true, nil, nil
		}}, "writes at once"},
		"keys are read one after another": {wrong{read: func(m *memory.Driver, ctx context.Context,
			q stores.Query) (*stores.Answer, error) {
			a, err := m.Read(ctx, q)
			for i, key := range q.Keys {
				time.Sleep(time.Millisecond)
				one, _ := m.Read(ctx, stores.Query{Keys: []string{key}})
				a.Records[i] = one.Records[0]
			}
			return a, err
		}}, "writes at once"},
		"the history is not compared": {writes(func(m *memory.Driver, w *stores.Write) {
			now, _ := m.Read(context.Background(), stores.Query{})
			w.Read = now
		}), "lost writes"},
		"contexts do not end": {wrong{read: func(m *memory.Driver, _ context.Context,
			q stores.Query) (*stores.Answer, error) {
			return m.Read(context.Background(), q)
		}}, "contexts end"},
	} {
		t.Run(name, func(t *testing.T) {
			m := &memory.Driver{}
			c.driver.Driver = m
			s := Subject{Open: func() (stores.Driver, error) { return c.driver, nil },
				Remove: func(key string) error { m.Set(key, ""); return nil }, Backup: m.Backup}
			p := &probe{suite.NewProbe(t.Context(), suite.Settings{}.OrDefaults(), ""), s}
			for _, check := range checks {
				if check.Name == c.check {
					p.Try(func() { check.Run(p) })
				}
			}
			require.NotEmpty(t, p.Found(), c.check)
			t.Log(p.Found()[0])
		})
	}
}
