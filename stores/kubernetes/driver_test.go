package kubernetes

import (
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/drivers"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/drivertest"
	"github.com/uidgen/uid/stores/kubernetes/internal/fake"
)

const secret = "token-of-the-account"

// subject is a store in a new cluster, each of whose clients has a connection of its own.
func subject(t *testing.T, s *fake.Server, now func() time.Time) drivertest.Subject {
	s.Allow(secret, "shop", "get", "list", "create", "update")
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte(secret+"\n"), 0o600))
	return drivertest.Subject{
		Open: func() (stores.Driver, error) {
			store, err := New(Config{URL: "https://cluster", Namespace: "shop", TokenFile: file,
				Client: &http.Client{Transport: s.RoundTripper()}, Now: now})
			if err != nil {
				return nil, err
			}
			return store.Driver(), nil
		},
		Remove: func(key string) error {
			name, _ := place(key)
			s.Delete("shop", name)
			return nil
		},

		Secret: secret,
	}
}

// The driver, and all over it, is as package stores wants it.
func TestStore(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, drivertest.Config{Histories: 12}, func(t *testing.T) drivertest.Subject {
		return subject(t, fake.New(time.Now), time.Now)
	})
}

// Also where single requests are lost, or their replies, or arrive late.
func TestFaults(t *testing.T) {
	t.Parallel()
	broken := func(t *testing.T) drivers.Database {
		s := fake.New(time.Now)
		s.Break(func(r *http.Request) fake.Fault {
			switch n := rand.IntN(100); {
			case n < 3:
				return fake.Fault{Lost: true}
			case r.Method == http.MethodGet:
			case n < 7:
				return fake.Fault{Silent: true}
			case n < 11:
				time.AfterFunc(time.Duration(rand.IntN(20))*time.Millisecond, s.Deliver)
				return fake.Fault{Late: true}
			}
			return fake.Fault{}
		})
		return drivers.Database(subject(t, s, time.Now))
	}
	cfg := suite.Settings{Histories: 40}
	storetest.Histories(t, cfg, func(t *testing.T) storetest.Subject { return storetest.Over(broken(t)) })
	segmenttest.Histories(t, cfg, func(t *testing.T) segmenttest.Subject { return segmenttest.Over(broken(t)) })
}
