package drivers

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/worker"
)

// Late are writes that are on their way.
type Late struct {
	mu     sync.Mutex
	writes []func() (stored bool)
	sets   atomic.Int64 // how many faults were set
}

// Deliver lets them arrive, in their order, and returns how many were stored.
func (l *Late) Deliver() (stored int) {
	l.mu.Lock()
	writes := l.writes
	l.writes = nil
	l.mu.Unlock()
	for _, write := range writes {
		if write() {
			stored++
		}
	}
	return stored
}

// A Faulty driver has the fault of its next request: of any for Refuse, else of a Write. Of the two Writes of a
// decision it is the one of the row.
type Faulty struct {
	stores.Driver
	storage.Codec
	late *Late

	mu    sync.Mutex
	next  suite.Fault
	early bool // it is the one of the namespace
}

// Client returns a client of a database, which is a [stores.Lister] if the Driver is one.
func (l *Late) Client(d stores.Driver, next suite.Fault) (*Faulty, stores.Driver) {
	f := &Faulty{Driver: d, late: l, Codec: storage.JSON{}, next: next}
	if c, is := d.(storage.Codec); is {
		f.Codec = c
	}
	if lister, is := d.(stores.Lister); is {
		return f, struct {
			*Faulty
			stores.Lister
		}{f, lister}
	}
	return f, f
}

// Set sets the next fault. Each third time it is one of the Write of a namespace, where there are two.
func (d *Faulty) Set(f suite.Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next, d.early = f, d.late.sets.Add(1)%3 == 0
}

// take returns the fault, if it is of that request, and takes it back.
func (d *Faulty) take(w *stores.Write) (f suite.Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	first := w != nil && len(w.Otherwise.Keys) > 1 && w.Otherwise.Keys[0] == w.Puts[0].Key
	if w != nil && (d.early || !first) || d.next == suite.Refuse {
		f, d.next = d.next, suite.OK
	}
	return f
}

var errCut = worker.Transient(errors.New("the connection was lost, the outcome is not known"))

// Block implements [stores.Blocked]. It is 0, as of no blocks, where the Driver is none.
func (d *Faulty) Block() int64 {
	if b, is := d.Driver.(stores.Blocked); is {
		return b.Block()
	}
	return 0
}

// Read implements [stores.Driver].
func (d *Faulty) Read(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	if d.take(nil) == suite.Refuse {
		return nil, errCut
	}
	return d.Driver.Read(ctx, q)
}

// Write implements [stores.Driver].
func (d *Faulty) Write(ctx context.Context, w stores.Write) (stored bool, now *stores.Answer, err error) {
	switch f := d.take(&w); f {
	case suite.LoseReply:
		if stored, now, err := d.Driver.Write(ctx, w); !stored {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.next = f
			return stored, now, err
		}
		fallthrough
	case suite.Refuse, suite.LoseWrite:
		return false, nil, errCut
	case suite.Delay:
		d.late.mu.Lock()
		defer d.late.mu.Unlock()
		d.late.writes = append(d.late.writes, func() bool {
			stored, _, _ := d.Driver.Write(context.WithoutCancel(ctx), w)
			return stored
		})
		return false, nil, errCut
	}
	return d.Driver.Write(ctx, w)
}

// Inspect implements [stores.Inspector].
func (d *Faulty) Inspect(ctx context.Context, key string) (lossy []string, err error) {
	if i, is := d.Driver.(stores.Inspector); is {
		return i.Inspect(ctx, key)
	}
	return nil, nil
}

// Rewrite changes a text by hand.
func Rewrite(d stores.Driver, key string, change func(text string) (string, error)) error {
	q := stores.Query{Keys: []string{key}, Newest: true}
	for {
		a, err := d.Read(context.Background(), q)
		if err != nil {
			return err
		}
		put := a.Records[0]
		if put.Text, err = change(put.Text); err != nil {
			return err
		}
		w := stores.Write{Read: a, Were: a.Records, Puts: []stores.Record{put}, Otherwise: q}
		if stored, _, err := d.Write(context.Background(), w); err != nil || stored {
			return err
		}
	}
}

// A Database is what the suites of leases and of segments over a driver run on; see drivertest.Subject.
type Database struct {
	Open    func() (stores.Driver, error)
	Remove  func(key string) error
	Advance func(by time.Duration)
	Backup  func() (restore func())
	Secret  string
}

// Faulty opens a client whose next request can be made to fail.
func (db Database) Faulty(l *Late) (*Faulty, *stores.Store, error) {
	client, err := db.Open()
	if err != nil {
		return nil, nil, err
	}
	f, d := l.Client(client, suite.OK)
	return f, stores.New(d), nil
}
