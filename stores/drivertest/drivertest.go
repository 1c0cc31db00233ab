// Package drivertest checks that a [stores.Driver], and leases and segments over it, keep their contracts. The author
// of a driver calls [Run] in a test:
//
//	func TestDriver(t *testing.T) {
//		drivertest.Run(t, drivertest.Config{}, func(t *testing.T) drivertest.Subject {
//			db := connect(t) // empty, and closed by t.Cleanup
//			return drivertest.Subject{
//				Open:   func() (stores.Driver, error) { return mydriver.New(db), nil },
//				Remove: func(key string) error { return db.Delete(key) },
//			}
//		})
//	}
//
// The suite tries the contract, and then leases and segments over the driver with lost or late writes and lost replies.
// It is no proof, and without [Subject.Backup] it does not try what only the death of a server would show.
package drivertest

import (
	"context"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/worker/lease"
)

// A Subject is an empty database under test. Only Open is required; the suite skips what needs a nil field,
// and logs that.
type Subject struct {
	// Open returns a new client, which shares nothing with others but the database.
	Open func() (stores.Driver, error)

	// Remove removes a key by hand. It need not be there.
	Remove func(key string) error

	// Advance turns the clock of all clients forward.
	Advance func(by time.Duration)

	// Backup returns a function that puts the database back to its state now: writes since are lost.
	Backup func() (restore func())

	// Segments changes what the suite of segments runs on; for drivers of this project.
	Segments func(*segmenttest.Subject)

	// Secret is a text that the clients know (a password), and that must not be in any error or name; "" for none.
	Secret string
}

// A Config says how much the suite tries; see that of package storetest.
type Config = storetest.Config

// Run runs each check in a subtest of its own, on a database of its own: open returns an empty one.
func Run(t *testing.T, cfg Config, open func(t *testing.T) Subject) {
	t.Helper()
	settings := suite.Settings(cfg).OrDefaults()
	suite.Run(t, checks, func(t *testing.T) *probe {
		s := open(t)
		return &probe{suite.NewProbe(t.Context(), settings, s.Secret), s}
	})
	t.Run("leases", func(t *testing.T) {
		storetest.Run(t, cfg, func(t *testing.T) storetest.Subject { return leasesOf(open(t)) })
	})
	t.Run("namespaces", func(t *testing.T) {
		storetest.RunRegistry(t, cfg, func(t *testing.T) storetest.Subject { return leasesOf(open(t)) })
	})
	t.Run("segments", func(t *testing.T) {
		segmenttest.Run(t, cfg, func(t *testing.T) segmenttest.Subject { return segmentsOf(open(t)) })
	})
}

var given = regexp.MustCompile(`"given":-?\d+`)

// leasesOf returns what the suite of package storetest runs on.
func leasesOf(s Subject) storetest.Subject {
	f := &faults{}
	out := storetest.Subject{
		Open: func(namespace string) (lease.Store, error) {
			d, faulty, err := f.open(s)
			if err != nil {
				return nil, err
			}
			l, err := stores.New(d).Leases(namespace)
			return &leases{l, faulty}, err
		},
		Registry: func() (registry.Store, error) {
			d, err := s.Open()
			return stores.New(d).Registry(), err
		},
		Fault: func(client lease.Store, fault storetest.Fault) bool {
			client.(*leases).faulty.set(fault)
			return true
		},
		Deliver: f.deliver,
		Advance: s.Advance,
		Backup:  s.Backup,
		Secret:  s.Secret,
		SetGiven: func(namespace string, n int64) error {
			d, err := s.Open()
			if err != nil {
				return err
			}
			return rewrite(d, own(namespace), func(text string) string {
				return given.ReplaceAllString(text, fmt.Sprintf(`"given":%d`, n))
			})
		},
	}
	if s.Remove != nil {
		out.RemoveNamespace = func(namespace string) error { return s.Remove(own(namespace)) }
		out.RemoveRow = func(namespace string, id int64) error { return s.Remove(row(namespace, id)) }
	}
	return out
}

// rewrite changes a text by hand.
func rewrite(d stores.Driver, key string, change func(string) string) error {
	q := stores.Query{Keys: []string{key}, Newest: true}
	for {
		a, err := d.Read(context.Background(), q)
		if err != nil {
			return err
		}
		put := a.Records[0]
		put.Text = change(put.Text)
		stored, _, err := d.Write(context.Background(), stores.Write{Read: a, Were: a.Records,
			Puts: []stores.Record{put}, Otherwise: q})
		if err != nil || stored {
			return err
		}
	}
}

// segmentsOf returns what the suite of package segmenttest runs on.
func segmentsOf(s Subject) segmenttest.Subject {
	f := &faults{}
	out := segmenttest.Subject{
		Open: func() (segment.Store, error) {
			d, faulty, err := f.open(s)
			if err != nil {
				return nil, err
			}
			return &segments{stores.New(d).Segments(), faulty}, nil
		},
		Fault: func(client segment.Store, fault segmenttest.Fault) bool {
			client.(*segments).faulty.set(fault)
			return true
		},
		Deliver: f.deliver,
		Backup:  s.Backup,
		Secret:  s.Secret,
	}
	if s.Segments != nil {
		s.Segments(&out)
	}
	return out
}
