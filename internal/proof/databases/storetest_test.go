package databases_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uidgen/uid/internal/proof/kit"

	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
	"github.com/uidgen/uid/worker/storetest"
)

// The tables are a store as package lease wants one, on both kinds of database.
func TestStore(t *testing.T) {
	for kind, fresh := range kit.Kinds {
		for clock, stands := range map[string]bool{"": false, ", a clock that stands": true} {
			t.Run(kind+clock, func(t *testing.T) {
				storetest.Run(t, storetest.Config{Histories: 8}, func(t *testing.T) storetest.Subject { return subject(t, fresh(t), stands) })
			})
		}
	}
}

// subject is a store each of whose clients has a pool of its own.
func subject(t *testing.T, s store, stands bool) storetest.Subject {
	var clock atomic.Int64
	var clients sync.Map // of lease.Store to *faultyDriver
	admin := s.Open(t)
	out := storetest.Subject{
		Open: func(namespace string) (lease.Store, error) {
			db, f := openFaulty(t, s, &clock)
			tables, err := sqlstore.New(db, sqlstore.Config{})
			if err != nil {
				return nil, err
			}
			l, err := tables.Leases(namespace)
			clients.Store(l, f)
			return l, err
		},
		Fault: func(client lease.Store, fault storetest.Fault) bool {
			f, _ := clients.Load(client)
			if fault == storetest.Delay {
				return false // the server knows which connection a commit comes from
			}
			f.(*faultyDriver).next.Store(int64(fault))
			return true
		},
		RemoveNamespace: func(namespace string) error {
			_, err := admin.Exec("DELETE FROM WORKER_LEASE WHERE NAMESPACE = ? AND WORKER_ID = -1", namespace)
			return err
		},
		Secret: "hunter2",
	}
	if stands {
		clock.Store(time.Now().UnixMicro())
		out.Advance = func(by time.Duration) { clock.Add(by.Microseconds()) }
	}
	return out
}
