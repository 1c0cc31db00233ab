package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uidgen/uid/worker/lease"
)

// A slot is a place for one process after the other, all of the same kind.
type slot struct {
	Name string
	// Cached says which generator: package cached's, or package uncached's.
	Cached bool
	Draw   []string // a goroutine for each way
	Worker string
	Store  string // where the worker has its database: mariadb, pair or sqlite
	// Losses is what a lease says of the store; whoever says that it loses nothing makes no namespace.
	Losses lease.Losses
	// Ring is the number of slots of the cached generator's ring, 0 for the default.
	Ring            int
	MaxLead, MaxLag time.Duration
	// Window is the lease's, 0 for leaseWindow.
	Window time.Duration
	// Remember is how many ticks an uncached generator remembers; 0 is Logical.
	Remember int
	// Stray is how far the clock of the slot's processes may be off.
	Stray time.Duration
	// Weight is this slot's part in the UIDs, against the other ones'.
	Weight float64
	// Planted names a fault that the self-test has to find; "" for none.
	Planted string
}

// Workers.
const (
	static    = "static"     // a new ID for each process
	throwaway = "disposable" // a row for each process
	leased    = "leased"
	kept      = "file" // the slot's ID, and a state file
)

// Stores.
const (
	mariadb  = "mariadb" // a durable server behind a proxy
	pair     = "pair"    // a primary and its replica, behind a proxy
	embedded = "sqlite"
)

// A lease has to end while a process is paused, and a service has to be without its
// database for longer than is reserved, several times in some minutes.
const (
	leaseWindow = time.Second
	longWindow  = 3 * leaseWindow / 2 // of one beside others, as while a setting is changed
	leaseTTL    = 1500 * time.Millisecond
	leaseSkew   = time.Second
	// leaseStray is how far a leased process's clock may be off. If it were more than
	// what is reserved, it would have no tick to issue.
	leaseStray = 900 * time.Millisecond
	freeStray  = 3 * time.Second
)

// maxLead is the largest MaxLead of slots that have no ticks burnt. Others have to borrow as far as a burn goes.
const maxLead = 4 * time.Second

var soakSlots = []slot{
	{Name: "strict order", Cached: true, Draw: []string{strict, strict},
		Worker: leased, Store: mariadb, Losses: lease.Never, MaxLead: maxLead, Stray: leaseStray, Weight: 1},
	{Name: "lanes", Cached: true, Draw: []string{lane, lane}, Worker: leased, Store: mariadb, Losses: lease.Never,
		MaxLead: maxLead, MaxLag: 300 * time.Millisecond, Stray: leaseStray, Weight: 3},
	{Name: "batches and strict order", Cached: true, Draw: []string{fill, strict},
		Worker: leased, Store: mariadb, MaxLead: lease.Burn, Stray: leaseStray, Weight: 2},
	{Name: "uncached, long window", Draw: []string{strict, strict},
		Worker: leased, Store: mariadb, Window: longWindow, Stray: leaseStray, Weight: 0.5},
	{Name: "strict order, two ticks", Cached: true, Draw: []string{strict, strict}, Ring: 2,
		Worker: leased, Store: pair, MaxLead: lease.Burn, Stray: leaseStray, Weight: 1},
	{Name: "batches, and lanes", Cached: true, Draw: []string{fill, lane},
		Worker: leased, Store: pair, MaxLead: lease.Burn, Stray: leaseStray, Weight: 3},
	{Name: "uncached, batches", Draw: []string{strict, fill},
		Worker: leased, Store: pair, Stray: leaseStray, Weight: 0.5},
	{Name: "lanes, and no order", Cached: true, Draw: []string{lane, unordered, unordered},
		Worker: leased, Store: embedded, MaxLead: lease.Burn, Stray: leaseStray, Weight: 2},
	{Name: "batches", Cached: true, Draw: []string{fill, fill}, Ring: 4,
		Worker: leased, Store: embedded, MaxLead: lease.Burn, Stray: leaseStray, Weight: 3},
	{Name: "uncached, on a file", Draw: []string{strict, strict},
		Worker: leased, Store: embedded, Stray: leaseStray, Weight: 0.5},
	{Name: "strict order and lanes", Cached: true, Draw: []string{strict, lane},
		Worker: throwaway, Store: mariadb, MaxLead: maxLead, Stray: freeStray, Weight: 2},
	{Name: "uncached, remembering", Draw: []string{strict, strict}, Remember: 128,
		Worker: throwaway, Store: embedded, Stray: freeStray, Weight: 0.5},
	{Name: "batches, behind a file", Cached: true, Draw: []string{fill, strict},
		Worker: kept, MaxLead: maxLead, Stray: freeStray, Weight: 2},
	{Name: "uncached, behind a file", Draw: []string{strict, strict},
		Worker: kept, Stray: freeStray, Weight: 0.5},
	{Name: "all ways", Cached: true, Draw: []string{strict, lane, fill, unordered}, MaxLag: 200 * time.Millisecond,
		Worker: static, MaxLead: maxLead, Stray: freeStray, Weight: 3},
}

// ordered says whether UIDs that a goroutine draws in this way increase.
func (s slot) ordered(way string) bool { return way != unordered && s.Remember == 0 }

// shareOf returns the part of the layout's worker IDs that a slot's come from. Slots with the
// same share have the same database and, if they lease, the same namespace.
func (s slot) shareOf() (number int64, namespace string) {
	switch {
	case s.Worker == static:
		return 0, ""
	case s.Worker == kept:
		return 1, ""
	case s.Worker == throwaway && s.Store == mariadb:
		return 2, ""
	case s.Worker == throwaway:
		return 3, ""
	case s.Store == pair:
		return 4, "pair"
	case s.Store == embedded:
		return 5, "embedded"
	case s.Losses == lease.Never:
		return 6, "durable"
	}
	return 7, "burning"
}

// A leaseTable is where the slots with one share have their leases: a table of their own,
// with one namespace.
type leaseTable struct {
	Share                  int64 // of the layout's worker IDs
	Store, Name, Namespace string
	Losses                 lease.Losses
}

// leases returns the table of the slot's leases. It is false for other workers.
func (s slot) leases() (leaseTable, bool) {
	share, namespace := s.shareOf()
	return leaseTable{share, s.Store, "LEASE_" + strings.ToUpper(namespace), namespace, s.Losses}, s.Worker == leased
}

// leaseTables returns the tables of all slots' leases, each once.
func leaseTables(slots []slot) (all []leaseTable) {
	for _, s := range slots {
		if t, ok := s.leases(); ok && !slices.ContainsFunc(all, func(o leaseTable) bool { return o.Name == t.Name }) {
			all = append(all, t)
		}
	}
	return all
}

func (s slot) String() string {
	generator := "uncached"
	if s.Cached {
		generator = "cached"
	}
	text := fmt.Sprintf("%s generator, %s, %s worker", generator, strings.Join(s.Draw, " and "), s.Worker)
	if s.Store != "" {
		text += " on " + s.Store
	}
	if s.Losses == lease.Never {
		text += ", which loses nothing"
	}
	return text
}
