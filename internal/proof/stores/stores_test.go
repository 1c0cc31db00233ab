// Package stores runs the suite for stores of leases on those of this repository.
package stores

import (
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/uidgen/uid/internal/proof/kit"
	"github.com/uidgen/uid/internal/proxy"
	"github.com/uidgen/uid/internal/testserver"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
	"github.com/uidgen/uid/worker/storetest"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// open returns a client with connections of its own.
func open(t testing.TB, s kit.Store, namespace string) (*sqlstore.Leases, error) {
	db := s.Open(t)
	db.SetMaxIdleConns(1) // there are many clients
	tables, err := sqlstore.New(db, sqlstore.Config{})
	if err != nil {
		return nil, err
	}
	return tables.Leases(namespace)
}

// removeNamespace deletes a namespace's own row, as somebody might.
func removeNamespace(t testing.TB, s kit.Store) func(namespace string) error {
	return func(namespace string) error {
		_, err := s.Open(t).Exec("DELETE FROM WORKER_LEASE WHERE NAMESPACE = ? AND WORKER_ID = -1", namespace)
		return err
	}
}

func TestSQLite(t *testing.T) {
	storetest.Run(t, storetest.Config{}, func(t *testing.T) storetest.Subject {
		s := kit.NewSQLite(t)
		return storetest.Subject{
			Open:            func(namespace string) (lease.Store, error) { return open(t, s, namespace) },
			RemoveNamespace: removeNamespace(t, s),
		}
	})
}

// password turns up wherever one may stand by mistake.
const password = "hunter2"

// A fleet is clients that reach the server each by a proxy of its own, which loses commits, or
// the replies to them.
type fleet struct {
	mu      sync.Mutex
	proxies map[lease.Store]*proxy.Proxy
}

func (f *fleet) open(t testing.TB, s kit.Store, namespace string) (lease.Store, error) {
	p := kit.NewProxy(t, testserver.Shared(t).Addr())
	l, err := open(t, s.With(t, func(c *mysql.Config) { c.Net, c.Addr = "tcp", p.Addr() }), namespace)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.proxies[l] = p
	return l, err
}

func (f *fleet) fault(client lease.Store, fault storetest.Fault) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch p := f.proxies[client]; fault {
	case storetest.OK:
		p.SwallowReply("no statement has this")
	case storetest.LoseReply:
		p.SwallowReply("COMMIT")
	case storetest.LoseWrite:
		p.SwallowRequest("COMMIT")
	default:
		return false
	}
	return true
}

func TestMySQL(t *testing.T) {
	const account = "storetest"
	kit.Do(t, kit.NewMySQL(t).Open(t), "CREATE USER "+account+" IDENTIFIED BY '"+password+"'", "GRANT ALL ON *.* TO "+account)
	t.Cleanup(func() { kit.Do(t, testserver.Shared(t).Open(t, ""), "DROP USER "+account) })
	storetest.Run(t, storetest.Config{}, func(t *testing.T) storetest.Subject {
		s := kit.NewMySQL(t).With(t, func(c *mysql.Config) { c.User, c.Passwd = account, password })
		f := fleet{proxies: map[lease.Store]*proxy.Proxy{}}
		return storetest.Subject{
			Open:            func(namespace string) (lease.Store, error) { return f.open(t, s, namespace) },
			Fault:           f.fault,
			RemoveNamespace: removeNamespace(t, s),
			Secret:          password,
		}
	})
}
