package segmenttest

import (
	"context"
	"errors"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/segment"
)

// wrongFaults are wrong in what becomes of faults.
func wrongFaults() []mistake {
	again := returns(func(ctx context.Context, call func(context.Context) error, _ *error) error {
		err := call(ctx)
		if isLost(err) {
			return call(ctx)
		}
		return err
	})
	acknowledged := returns(func(ctx context.Context, call func(context.Context) error, _ *error) error {
		err := call(ctx)
		if isLost(err) {
			return nil
		}
		return err
	})
	halves := func(half func(now, row segment.Row) segment.Row) wrong {
		return wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
			var read, row segment.Row
			err := c.Change(ctx, tag, func(r *segment.Row) error {
				read = copied(r)
				err := decide(r)
				row = copied(r)
				return err
			})
			if now := c.m.Row(tag); isLost(err) && now.Equal(&read) {
				row.Fresh = false
				c.m.SetRow(half(now, row))
			}
			return err
		}}
	}
	numbers := func(now, row segment.Row) segment.Row {
		row.Takers = now.Takers
		return row
	}
	takers := func(now, row segment.Row) segment.Row {
		row.Next, row.Step, row.Description = now.Next, max(1, now.Step), now.Description
		return row
	}
	return []mistake{
		{"a call whose reply was lost is made again", byOpen, again},
		{"a call whose reply was lost is made again, in a history", byHistories, again},
		{"a call whose reply was lost is acknowledged", byOpen, acknowledged},
		{"a call whose reply was lost is acknowledged, many draw", byFailures, acknowledged},
		{"a call whose reply is late is acknowledged", byLate, acknowledged},
		{"what may pass is not marked", byOpen, returns(func(ctx context.Context, call func(context.Context) error, _ *error) error {
			err := call(ctx)
			if retry.IsTransient(err) {
				return errors.New(err.Error())
			}
			return err
		})},
		{"a call that fails stores the numbers alone", byOpen, halves(numbers)},
		{"a call that fails stores the numbers alone, many draw", byFailures, halves(numbers)},
		{"a call that fails stores the takers alone", byOpen, halves(takers)},
		{"a call that fails stores the takers alone, many draw", byFailures, halves(takers)},
		{"every fifth write is lost", byHistories, everyFifth()},
		{"every fifth write is lost, many draw", byDraws, everyFifth()},
		{"half a row is written", byHistories, writes(func(r *segment.Row) { r.Step = 1 })},
	}
}

func everyFifth() wrong {
	var n atomic.Int64
	return wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
		err := c.Change(ctx, tag, func(r *segment.Row) error {
			if err := decide(r); err != nil || n.Add(1)%5 != 0 {
				return err
			}
			return errSkip
		})
		if errors.Is(err, errSkip) {
			return nil
		}
		return err
	}}
}

// A misdeed is of the store behind its clients.
type misdeed struct {
	name   string
	caught string
	make   func(*Memory, *Subject)
}

func misdeeds() []misdeed {
	late := func(same func(now, read *segment.Row) bool) func(*Memory, *Subject) {
		return func(m *Memory, s *Subject) { delaying(m, s, same) }
	}
	return []misdeed{
		{"a late write replaces a newer one", byLate, late(func(_, _ *segment.Row) bool { return true })},
		{"a late write replaces a newer one, many draw", byFailures, late(func(_, _ *segment.Row) bool { return true })},
		{"a late write replaces a newer one, in a history", byHistories, late(func(_, _ *segment.Row) bool { return true })},
		{"a late write knows a row by its next number alone", byLate, late(func(now, read *segment.Row) bool {
			return now.Fresh == read.Fresh && now.Next == read.Next
		})},
		{"a late write does not look at takers", byLate, late(func(now, read *segment.Row) bool {
			r := *now
			r.Takers = read.Takers
			return r.Equal(read)
		})},
		{"a late write takes a row that was changed and changed back for the same", byLate, late(func(now, read *segment.Row) bool { return now.Equal(read) })},
		{"a late write creates a row that is there", byLate, late(func(now, read *segment.Row) bool { return read.Fresh })},
		{"a late write does not see that others have drawn", byLate, late(func(now, read *segment.Row) bool {
			r := *now
			r.Next = read.Next
			return read.Tag == "foreign" && r.Equal(read)
		})},
		{"acknowledged writes are lost", byHistories, func(m *Memory, s *Subject) {
			restore := m.Backup()
			s.Deliver = func() { restore(); restore = m.Backup() }
		}},
		{"versions come again after writes were lost", byLost, func(m *Memory, s *Subject) {
			s.Backup = func() (restore func()) {
				m.mu.Lock()
				defer m.mu.Unlock()
				rows, version := maps.Clone(m.rows), m.version
				return func() {
					m.mu.Lock()
					defer m.mu.Unlock()
					m.rows, m.version = maps.Clone(rows), version
				}
			}
		}},
		{"what was written last is kept when writes are lost", byLost, func(m *Memory, s *Subject) {
			s.Backup = func() (restore func()) { return func() {} }
		}},
		{"others who draw forget the takers", byForeign, func(m *Memory, s *Subject) {
			s.Foreign = func(tag string, n int64) (int64, error) {
				first, err := m.Foreign(tag, n)
				row := m.Row(tag)
				row.Takers = nil
				m.SetRow(row)
				return first, err
			}
		}},
		{"others who draw get what follows theirs", byForeign, func(m *Memory, s *Subject) {
			s.Foreign = func(tag string, n int64) (int64, error) {
				first, err := m.Foreign(tag, n)
				return first + n, err
			}
		}},
	}
}

// A delay is a client's, whose late writes are stored if what is there is the same, in this sense,
// as what was read.
type delay struct {
	*Client
	next suite.Queue[Fault]
	late func(write func())
	same func(now, read *segment.Row) bool
}

func (d *delay) Change(ctx context.Context, tag string, decide decision) error {
	fault := d.next.Next()
	if fault == Delay {
		d.Fault(LoseWrite)
	} else {
		d.Fault(fault)
	}
	var read, row segment.Row
	err := d.Client.Change(ctx, tag, func(r *segment.Row) error {
		read = copied(r)
		err := decide(r)
		row = copied(r)
		return err
	})
	if fault == Delay && isLost(err) {
		d.late(func() { d.m.replace(row, func(now *segment.Row) bool { return d.same(now, &read) }) })
	}
	return err
}

// delaying makes late writes arrive by another guard than the Memory's.
func delaying(m *Memory, s *Subject, same func(now, read *segment.Row) bool) {
	var mu sync.Mutex
	var late []func()
	s.Open = func() (segment.Store, error) {
		return &delay{Client: m.Client(), same: same, late: func(write func()) {
			mu.Lock()
			defer mu.Unlock()
			late = append(late, write)
		}}, nil
	}
	s.Fault = func(client segment.Store, f Fault) bool { client.(*delay).next.Set(f); return true }
	s.Deliver = func() {
		mu.Lock()
		defer mu.Unlock()
		for _, write := range late {
			write()
		}
		late = nil
	}
}
