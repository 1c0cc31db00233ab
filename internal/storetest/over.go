package storetest

import (
	"fmt"
	"regexp"

	"github.com/uidgen/uid/internal/drivers"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/worker/lease"
)

var given = regexp.MustCompile(`"given":-?\d+`)

// Over returns leases over a driver.
func Over(db drivers.Database) Subject {
	late := &drivers.Late{}
	out := Subject{
		Open: func(namespace string) (lease.Store, error) {
			f, s, err := db.Faulty(late)
			if err != nil {
				return nil, err
			}
			l, err := s.Leases(namespace)
			return &faulty{l, f}, err
		},
		Registry: func() (registry.Store, error) {
			d, err := db.Open()
			return stores.New(d).Registry(), err
		},
		Steps:   true,
		Fault:   func(c lease.Store, f Fault) bool { c.(*faulty).faults.Set(f); return true },
		Deliver: func() { late.Deliver() },
		Advance: db.Advance,
		Backup:  db.Backup,
		Secret:  db.Secret,
		SetGiven: func(namespace string, n int64) error {
			d, err := db.Open()
			if err != nil {
				return err
			}
			return drivers.Rewrite(d, key(namespace, -1), func(text string) (string, error) {
				return given.ReplaceAllString(text, fmt.Sprintf(`"given":%d`, n)), nil
			})
		},
	}
	if d, err := db.Open(); err == nil {
		if b, is := d.(stores.Blocked); is {
			out.Sample = b.Block()
		}
	}
	if db.Remove != nil {
		out.RemoveNamespace = func(namespace string) error { return db.Remove(key(namespace, -1)) }
		out.RemoveRow = func(namespace string, id int64) error { return db.Remove(key(namespace, id)) }
	}
	return out
}

// A faulty store is one whose driver fails as it is told.
type faulty struct {
	lease.Store
	faults *drivers.Faulty
}
