// Package scheme is what packages that open a kind of store from a URL share with package connect: its programs
// import such a package for its init function alone. It reads URLs for them.
package scheme

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker/disposable"
)

// A Driver opens the stores that URLs of its schemes name.
type Driver struct {
	Schemes []string // in lower case, the usual one first
	// Form is what its URLs look like, for people, and Secure the parameters that turn TLS on.
	Form, Secure string
	// Port is that of a host that names none. A Driver without one has a file instead of hosts; see
	// [URL].
	Port string
	// Inside says that a URL may name no host: the store is that of the place where the program runs.
	Inside bool
	// Params are the parameters of its URLs; nil where a client library knows them.
	Params []string
	SQL    bool // it has tables, and with them disposable IDs
	// Open opens the store. It need not be reachable yet. It returns an error that wraps
	// [uid.ErrConfig] where the URL cannot be used; no error has a part of the URL.
	Open func(ctx context.Context, u *URL, o Options) (*Store, error)
}

// Options are what a program sets besides the URL. The zero value works.
type Options struct {
	// NodeTable, LeaseTable and SegmentTable are the names of tables in a SQL database; "" stands for the
	// default. Other stores refuse them.
	NodeTable, LeaseTable, SegmentTable string
	// Timeout bounds what has to ask a server before the store is open. The default is 5 s.
	Timeout time.Duration
	// Logger is for what goes on with a store; nil is slog.Default.
	Logger *slog.Logger
}

// A Store is open until its Close.
type Store struct {
	// Registry has the namespaces of leases.
	Registry registry.Store
	// Numbers is nil where the store has no disposable IDs.
	Numbers  disposable.Numbers
	Segments segment.Store
	// Close closes the store, with the client that Open has made.
	Close func() error
}

var (
	mu      sync.Mutex // guards drivers
	drivers []*Driver
)

// Register makes a driver known, for its package's init function. It panics when a scheme has one already.
func Register(d Driver) {
	mu.Lock()
	defer mu.Unlock()
	for _, scheme := range d.Schemes {
		if find(scheme) != nil {
			panic("connect: two drivers for " + scheme)
		}
	}
	drivers = append(drivers, &d)
	slices.SortFunc(drivers, func(a, b *Driver) int { return strings.Compare(a.Schemes[0], b.Schemes[0]) })
}

// All returns the drivers that are registered, in the order of their first schemes.
func All() []*Driver {
	mu.Lock()
	defer mu.Unlock()
	return slices.Clone(drivers)
}

// find returns the driver of a scheme, or nil. mu is held.
func find(scheme string) *Driver {
	i := slices.IndexFunc(drivers, func(d *Driver) bool { return slices.Contains(d.Schemes, scheme) })
	if i < 0 {
		return nil
	}
	return drivers[i]
}
