package lease_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/drivertest"
	"github.com/uidgen/uid/worker/lease"
)

// A generator with a leased worker ID. The store in memory stands for one that processes
// share: a program takes it from package sqlstore, as
//
//	tables, err := sqlstore.New(db, sqlstore.Config{})
//	...
//	store, err := tables.Leases("orders")
func Example() {
	ctx := context.Background()
	store, err := stores.New(drivertest.NewMemory()).Leases("orders")
	if err != nil {
		fmt.Println(err)
		return
	}

	// Once for the namespace, and not at each start: uid worker init does it.
	if err := lease.Found(ctx, store, lease.Founding{}); err != nil {
		fmt.Println(err)
		return
	}

	worker, err := lease.New(store, lease.Config{
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	generator, err := cached.New(worker, cached.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	u, err := generator.GetUID()
	if err != nil {
		fmt.Println(err)
		return
	}
	parts, err := generator.ParseUID(u)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(parts.WorkerID)

	// It ends the lease. The ID is free again after the quarantine.
	if err := generator.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0
}

// A generator that is closed gives its ID back. The next owner gets it after the quarantine,
// and until then another one.
func ExampleNew() {
	store, err := stores.New(drivertest.NewMemory()).Leases("orders")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := lease.Found(context.Background(), store, lease.Founding{}); err != nil {
		fmt.Println(err)
		return
	}

	start := func(name string) (*cached.Generator, error) {
		worker, err := lease.New(store, lease.Config{
			OnEvent: func(e lease.Event) { fmt.Println(name, e.Kind, e.WorkerID) },
			Logger:  slog.New(slog.DiscardHandler),
		})
		if err != nil {
			return nil, err
		}
		return cached.New(worker, cached.Config{})
	}
	first, err := start("first")
	if err != nil {
		fmt.Println(err)
		return
	}
	second, err := start("second")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := first.Close(); err != nil {
		fmt.Println(err)
	}
	third, err := start("third") // ID 0 is in quarantine
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := errors.Join(second.Close(), third.Close()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// first acquired 0
	// second acquired 1
	// third acquired 2
}

// Two regions, each with a database of its own, share the IDs of a layout: no region asks the
// other one, and all UIDs are unique.
func ExampleFound_regions() {
	ctx := context.Background()
	layout := bits.Default() // 4,194,304 worker IDs
	for region, ids := range map[string]lease.Range{
		"eu": {First: 0, Last: 2_097_151},
		"us": {First: 2_097_152, Last: 4_194_303},
	} {
		store, err := stores.New(drivertest.NewMemory()).Leases("orders") // the region's database
		if err != nil {
			fmt.Println(err)
			return
		}
		// Once, and by hand: uid worker init --ids does it.
		if err := lease.Found(ctx, store, lease.Founding{IDs: ids}); err != nil {
			fmt.Println(err)
			return
		}
		// At each start. A process that asks the wrong database is refused.
		worker, err := lease.New(store, lease.Config{IDs: ids, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			fmt.Println(err)
			return
		}
		reservation, err := worker.Acquire(ctx, layout.Terms())
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(region, reservation.WorkerID)
	}
	// Unordered output:
	// eu 0
	// us 2097152
}
