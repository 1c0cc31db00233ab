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
	// Worker is where the generator's worker ID comes from, or what else is drawn.
	Worker string
	Place  string // where the worker has its store, if it has one
	// Share is the part of the layout's worker IDs that the slot's come from. Slots with the same share have the same
	// database and, if they lease, the same namespace.
	Share string
	// Losses is what a lease says of the store; whoever says that it loses nothing makes no namespace.
	Losses lease.Losses
	// Tenants is how many leases and generators a process has, 0 for one.
	Tenants int
	// Hoards says that a process gives no numbers back before it ends.
	Hoards bool
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
	// Least is how many the slot has to draw at least; 0 stands for one.
	Least uint64
	// Planted names a fault that the self-test has to find; "" for none.
	Planted string
}

// Workers, and what is drawn without one.
const (
	static    = "static"     // a new ID for each process
	throwaway = "disposable" // a row for each process
	leased    = "leased"
	kept      = "file"    // the slot's ID, and a state file
	segments  = "segment" // numbers of a tag
	served    = "served"  // by the command, which has workers of its own
)

// Places of the soak.
const (
	mariadb  = "mariadb" // a durable server
	pair     = "pair"    // a primary and its replica
	embedded = "sqlite"
)

// shares are the parts of the layout's worker IDs.
var shares = []string{"static", "file", "throwaway", "throwaway_embedded", "pair", "embedded", "durable", "burning"}

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
	{Name: "strict order", Cached: true, Draw: []string{strict, strict}, Worker: leased, Place: mariadb,
		Share: "durable", Losses: lease.Never, MaxLead: maxLead, Stray: leaseStray, Weight: 1},
	{Name: "lanes", Cached: true, Draw: []string{lane, lane}, Worker: leased, Place: mariadb, Share: "durable",
		Losses: lease.Never, MaxLead: maxLead, MaxLag: 300 * time.Millisecond, Stray: leaseStray, Weight: 3},
	{Name: "batches and strict order", Cached: true, Draw: []string{fill, strict},
		Worker: leased, Place: mariadb, Share: "burning", MaxLead: lease.Burn, Stray: leaseStray, Weight: 2},
	{Name: "uncached, long window", Draw: []string{strict, strict},
		Worker: leased, Place: mariadb, Share: "burning", Window: longWindow, Stray: leaseStray, Weight: 0.5},
	{Name: "strict order, two ticks", Cached: true, Draw: []string{strict, strict}, Ring: 2,
		Worker: leased, Place: pair, Share: "pair", MaxLead: lease.Burn, Stray: leaseStray, Weight: 1},
	{Name: "batches, and lanes", Cached: true, Draw: []string{fill, lane},
		Worker: leased, Place: pair, Share: "pair", MaxLead: lease.Burn, Stray: leaseStray, Weight: 3},
	{Name: "uncached, batches", Draw: []string{strict, fill},
		Worker: leased, Place: pair, Share: "pair", Stray: leaseStray, Weight: 0.5},
	{Name: "lanes, and no order", Cached: true, Draw: []string{lane, unordered, unordered},
		Worker: leased, Place: embedded, Share: "embedded", MaxLead: lease.Burn, Stray: leaseStray, Weight: 2},
	{Name: "batches", Cached: true, Draw: []string{fill, fill}, Ring: 4,
		Worker: leased, Place: embedded, Share: "embedded", MaxLead: lease.Burn, Stray: leaseStray, Weight: 3},
	{Name: "uncached, on a file", Draw: []string{strict, strict},
		Worker: leased, Place: embedded, Share: "embedded", Stray: leaseStray, Weight: 0.5},
	{Name: "strict order and lanes", Cached: true, Draw: []string{strict, lane},
		Worker: throwaway, Place: mariadb, Share: "throwaway", MaxLead: maxLead, Stray: freeStray, Weight: 2},
	{Name: "uncached, remembering", Draw: []string{strict, strict}, Remember: 128,
		Worker: throwaway, Place: embedded, Share: "throwaway_embedded", Stray: freeStray, Weight: 0.5},
	{Name: "batches, behind a file", Cached: true, Draw: []string{fill, strict},
		Worker: kept, Share: "file", MaxLead: maxLead, Stray: freeStray, Weight: 2},
	{Name: "uncached, behind a file", Draw: []string{strict, strict},
		Worker: kept, Share: "file", Stray: freeStray, Weight: 0.5},
	{Name: "all ways", Cached: true, Draw: []string{strict, lane, fill, unordered}, MaxLag: 200 * time.Millisecond,
		Worker: static, Share: "static", MaxLead: maxLead, Stray: freeStray, Weight: 3},
}

// leaseSlots draw UIDs under leases in one store, in as many ways as there are processes. Every third process is
// uncached. Unless something is planted each has five tenants, so that thirty owners are six processes.
func leaseSlots(n int, place, share, planted string) (all []slot) {
	for i := range n {
		s := slot{Name: fmt.Sprint("lease ", i), Cached: i%3 != 2, Draw: []string{fill, strict}, Worker: leased,
			Place: place, Share: share, Weight: 1, Planted: planted}
		if s.Cached {
			s.MaxLead = lease.Burn
		}
		if planted == "" {
			s.Tenants = 5
		}
		all = append(all, s)
	}
	return all
}

// numberSlots draw the numbers of one tag in all ways.
func numberSlots(n int, place string, hoards bool) []slot {
	s := slot{Name: "numbers", Draw: []string{fill, strict, try}, Worker: segments, Place: place, Share: "numbers",
		Hoards: hoards, Weight: 1}
	return slices.Repeat([]slot{s}, n)
}

// ordered says whether UIDs that a goroutine draws in this way increase.
func (s slot) ordered(way string) bool {
	return way != unordered && s.Remember == 0 && s.Worker != served
}

// base is the first of the slot's worker IDs in the layout.
func (s slot) base() int64 { return int64(max(0, slices.Index(shares, s.Share))) << idBits }

// A space is what slots with one share lease in: a namespace, and where an operator is at work a database of its own.
type space struct {
	Share, Place string
	Losses       lease.Losses
}

// leases returns the space of the slot's leases. It is false for other workers.
func (s slot) leases() (space, bool) { return space{s.Share, s.Place, s.Losses}, s.Worker == leased }

// spaces returns those of all slots' leases, each once.
func spaces(slots []slot) (all []space) {
	for _, s := range slots {
		if sp, ok := s.leases(); ok && !slices.Contains(all, sp) {
			all = append(all, sp)
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
	if s.Place != "" {
		text += " on " + s.Place
	}
	if s.Losses == lease.Never {
		text += ", which loses nothing"
	}
	return text
}
