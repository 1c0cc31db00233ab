package segmenttest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/uidgen/uid/internal/drivers"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/stores"
)

// A Fault is what goes wrong with a Change.
type Fault = suite.Fault

// The faults; see package suite.
const (
	OK        = suite.OK
	Refuse    = suite.Refuse
	LoseWrite = suite.LoseWrite
	LoseReply = suite.LoseReply
	Delay     = suite.Delay
)

// A Memory keeps rows in memory, by package stores: for tests of programs that draw numbers. All clients that Client
// and Open return share it, as processes share a database. All methods may be called by any number of goroutines at
// once. Set its fields before.
//
// It loses everything when the program ends: do not issue real numbers from it.
type Memory struct {
	drivers.Memory
	drivers.Late

	// Lossy is the result of Inspect; by default nothing is seen that could lose a write.
	Lossy []string
}

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{} }

// Client returns a new client, as if for another process.
func (m *Memory) Client() *Client { return &Client{m: m} }

// Open does so too. It is the Open of a [Subject].
func (m *Memory) Open() (segment.Store, error) { return m.Client(), nil }

// A Client is a [segment.Store] in a Memory.
type Client struct {
	m      *Memory
	faults suite.Queue[Fault]
}

var _ segment.Store = (*Client)(nil)

// Fault sets the faults of the client's next calls of Change, one for each, after those that are
// set already. Later calls succeed again.
func (c *Client) Fault(next ...Fault) { c.faults.Add(next...) }

// store returns one whose next request has a fault.
func (c *Client) store(f Fault) segment.Store {
	_, d := c.m.Late.Client(whole{&c.m.Memory}, f)
	return stores.New(d).Segments()
}

// Change implements [segment.Store].
func (c *Client) Change(ctx context.Context, tag string, decide func(*storage.Segment) error) error {
	return c.store(c.faults.Next()).Change(ctx, tag, decide)
}

// Rows implements [segment.Store].
func (c *Client) Rows(ctx context.Context, after string, most int) ([]storage.Segment, error) {
	return c.store(OK).Rows(ctx, after, most)
}

// Inspect implements [segment.Store].
func (c *Client) Inspect(ctx context.Context) (lossy []string, err error) {
	_, err = c.m.Read(ctx, stores.Query{})
	return slices.Clone(c.m.Lossy), err
}

// Name implements [segment.Store].
func (c *Client) Name() string { return "memory" }

// whole has all of a row in its text: also of one that is Fresh but for what is beside the number, or none at all.
type whole struct{ stores.Driver }

// Parse implements [storage.Codec].
func (whole) Parse(tag, text string) (r storage.Segment, err error) {
	if text == "" {
		return storage.Segment{Tag: tag, Fresh: true}, nil
	}
	return r, json.Unmarshal([]byte(text), &r)
}

// Text implements [storage.Codec].
func (whole) Text(r storage.Segment) (string, error) { return textOf(r), r.Check() }

// textOf is that of any row. No two are alike.
func textOf(r storage.Segment) string {
	text, err := json.Marshal(struct {
		storage.Segment
		Write string
	}{r, rand.Text()})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func key(tag string) string { return stores.Key{Tag: tag, ID: -1}.String() }

// Row returns the row of a tag as it is now, Fresh when there is none.
func (m *Memory) Row(tag string) storage.Segment {
	r, err := whole{}.Parse(tag, m.Text(key(tag)))
	if err != nil {
		panic(err)
	}
	return r
}

// SetRow writes a row, which generators may be using, even if it is none as [storage.Segment] says. A Fresh
// one is removed.
func (m *Memory) SetRow(row storage.Segment) {
	if row.Fresh {
		m.Set(key(row.Tag), "")
		return
	}
	row.Updated = m.Time()
	m.Set(key(row.Tag), textOf(row))
}

// change changes the row of a tag that has one.
func (m *Memory) change(tag string, change edit) error {
	return drivers.Rewrite(&m.Memory, key(tag), func(text string) (string, error) {
		r, err := whole{}.Parse(tag, text)
		if err != nil || r.Fresh {
			return "", fmt.Errorf("segmenttest: tag %q has no row that could be changed (%w)", tag, err)
		}
		change(&r)
		return whole{}.Text(r)
	})
}

// Lower sets the next number of a tag that has a row, and nothing else of it, as people do with the
// tools of an engine; one below 0 removes it.
func (m *Memory) Lower(tag string, next int64) error {
	return m.change(tag, func(r *row) {
		if r.Next = next; next < 0 {
			*r = row{Tag: tag, Fresh: true, Writes: r.Writes, Floor: r.Floor, Takers: r.Takers}
		}
	})
}

// Foreign draws n numbers as a program does that knows nothing of Takers, and returns the first.
func (m *Memory) Foreign(tag string, n int64) (first int64, err error) {
	err = m.change(tag, func(r *row) {
		first = r.Next
		r.Next += n
	})
	return first, err
}

// Over returns segments over a driver.
func Over(db drivers.Database) Subject {
	late := &drivers.Late{}
	return Subject{
		Open: func() (segment.Store, error) {
			f, s, err := db.Faulty(late)
			if err != nil {
				return nil, err
			}
			return &faulty{s.Segments(), f}, nil
		},
		Fault:   func(c segment.Store, f Fault) bool { c.(*faulty).faults.Set(f); return true },
		Deliver: func() { late.Deliver() },
		Backup:  db.Backup,
		Secret:  db.Secret,
	}
}

// A faulty store is one whose driver fails as it is told.
type faulty struct {
	segment.Store
	faults *drivers.Faulty
}
