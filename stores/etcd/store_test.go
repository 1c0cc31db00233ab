package etcd_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/uidgen/uid/internal/drivers"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/drivertest"
	"github.com/uidgen/uid/stores/etcd"
	"github.com/uidgen/uid/stores/internal/orders"
)

// The driver, and all over it, is as package stores wants it, with a clock that runs and with one that stands.
func TestStore(t *testing.T) {
	for name, stands := range map[string]bool{"a clock that runs": false, "a clock that stands": true} {
		t.Run(name, func(t *testing.T) {
			drivertest.Run(t, drivertest.Config{Histories: 12},
				func(t *testing.T) drivertest.Subject { return subject(t, stands) })
		})
	}
}

// Segments notice that writes were lost, even if the cluster has the same ID and the revision that was read.
func TestSegmentsLost(t *testing.T) {
	segmenttest.Run(t, segmenttest.Config{Histories: 12}, func(t *testing.T) segmenttest.Subject {
		s := newServer(t)
		out := segmenttest.Over(drivers.Database(s.subject(t, false)))
		out.Backup = func() (restore func()) {
			back := s.backup()
			return func() { back(thisCluster) }
		}
		return out
	})
}

// subject is a store each of whose clients has a connection of its own.
func subject(t *testing.T, stands bool) drivertest.Subject { return newServer(t).subject(t, stands) }

func (s *server) subject(t *testing.T, stands bool) drivertest.Subject {
	var clock atomic.Int64
	clock.Store(time.Now().UnixMicro())
	out := drivertest.Subject{
		Open: func() (stores.Driver, error) {
			cfg := etcd.Config{}
			if stands {
				cfg.Now = func() time.Time { return time.UnixMicro(clock.Load()) }
			}
			return s.store(t, cfg).Driver(), nil
		},
		Remove: func(key string) error {
			s.set("uid/"+key, "")
			return nil
		},
		Secret: orders.Secret,
	}
	if stands {
		out.Advance = func(by time.Duration) { clock.Add(by.Microseconds()) }
	}
	return out
}
