package drivertest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/drivers"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/stores"
)

// Each check finds what is wrong with a driver that breaks what the check is for.
func TestWrong(t *testing.T) {
	t.Parallel()
	faults := map[string]func(*drivers.Memory) stores.Driver{
		"records": func(m *drivers.Memory) stores.Driver {
			return drivers.Answers(m, func(_ stores.Query, a *stores.Answer) {
				for i, r := range a.Records {
					a.Records[i].Text = r.Text[:min(len(r.Text), 4000)]
				}
			})
		},
		"ranges": func(m *drivers.Memory) stores.Driver {
			return drivers.Wrong{Memory: m, Reads: func(ctx context.Context, q stores.Query) (*stores.Answer, error) {
				q.Ranges = slices.Clone(q.Ranges)
				for i := range q.Ranges {
					q.Ranges[i].Last = q.Ranges[i].Last[:len(q.Ranges[i].Last)-1]
				}
				return m.Read(ctx, q)
			}}
		},
		"refused writes": func(m *drivers.Memory) stores.Driver { // it compares only what it writes
			return drivers.Stores(m, func(w *stores.Write) {
				w.Were = slices.DeleteFunc(slices.Clone(w.Were), func(r stores.Record) bool {
					return !slices.ContainsFunc(w.Puts, func(put stores.Record) bool { return put.Key == r.Key })
				})
			})
		},
		"many records": func(m *drivers.Memory) stores.Driver { // it stores them in two parts
			write := func(ctx context.Context, w stores.Write) (bool, *stores.Answer, error) {
				if len(w.Puts) > 50 {
					part := w
					part.Were, part.Puts = w.Were[:40], w.Puts[:40]
					if stored, now, err := m.Write(ctx, part); !stored {
						return false, now, err
					}
					w.Were, w.Puts = w.Were[40:], w.Puts[40:]
				}
				return m.Write(ctx, w)
			}
			return drivers.Wrong{Memory: m, Writes: write}
		},
		"writes at once": func(m *drivers.Memory) stores.Driver { // it reads keys one after another
			return drivers.Answers(m, func(q stores.Query, a *stores.Answer) {
				for i := range q.Keys {
					time.Sleep(time.Millisecond)
					a.Records[i].Text = m.Text(q.Keys[i])
				}
			})
		},
		"old answers": drivers.Stale,
		"ages": func(m *drivers.Memory) stores.Driver { // it reads the clock once
			var first *stores.Answer
			return drivers.Answers(m, func(_ stores.Query, a *stores.Answer) {
				if first == nil {
					first = a
				}
				a.Clock.Now = first.Clock.Now
			})
		},
		"lost writes": drivers.Unaware,
		"contexts end": func(m *drivers.Memory) stores.Driver {
			return drivers.Wrong{Memory: m, Reads: func(ctx context.Context, q stores.Query) (*stores.Answer, error) {
				a, err := m.Read(ctx, q)
				if err != nil {
					err = ctx.Err() // which nobody has marked
				}
				return a, err
			}}
		},
	}
	for _, c := range checks {
		t.Run(c.Name, func(t *testing.T) {
			found := suite.Finds(t, c, func(t *testing.T) *probe {
				clock := fake.NewFrozenClock(time.Now())
				m := &drivers.Memory{Now: clock.Now}
				d := faults[c.Name](m)
				return &probe{suite.NewProbe(t.Context(), suite.Settings{}.OrDefaults(), ""), Subject{
					Open: func() (stores.Driver, error) { return d, nil }, Advance: clock.Step, Backup: m.Backup,
				}}
			})
			require.NotEmpty(t, found)
			t.Logf("%.300s", found[0])
		})
	}
}
