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
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// must returns what a call returns that does not fail. A program looks at each error.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// A generator with a leased worker ID. The store in memory stands for one that processes
// share: a program takes it from package sqlstore, as
//
//	tables, err := sqlstore.New(db, sqlstore.Config{})
//	...
//	store, err := tables.Leases("orders")
func Example() {
	ctx := context.Background()
	store := must(stores.New(drivertest.NewMemory()).Leases("orders"))

	// Once for the namespace, and not at each start: uid worker init does it.
	if err := lease.Found(ctx, store, lease.Founding{}); err != nil {
		panic(err)
	}

	worker := must(lease.New(store, lease.Config{Logger: slog.New(slog.DiscardHandler)}))
	generator := must(cached.New(worker, cached.Config{}))
	fmt.Println(must(generator.ParseUID(must(generator.GetUID()))).WorkerID)

	// It ends the lease. The ID is free again after the quarantine.
	fmt.Println(generator.Close())
	// Output:
	// 0
	// <nil>
}

// A generator that is closed gives its ID back. The next owner gets it after the quarantine,
// and until then another one.
func ExampleNew() {
	store := must(stores.New(drivertest.NewMemory()).Leases("orders"))
	if err := lease.Found(context.Background(), store, lease.Founding{}); err != nil {
		panic(err)
	}

	start := func(name string) *cached.Generator {
		worker := must(lease.New(store, lease.Config{
			OnEvent: func(e lease.Event) { fmt.Println(name, e.Kind, e.WorkerID) },
			Logger:  slog.New(slog.DiscardHandler),
		}))
		return must(cached.New(worker, cached.Config{}))
	}
	first, second := start("first"), start("second")
	fmt.Println(first.Close())
	third := start("third") // ID 0 is in quarantine
	fmt.Println(second.Close(), third.Close())
	// Output:
	// first acquired 0
	// second acquired 1
	// <nil>
	// third acquired 2
	// <nil> <nil>
}

// A migration makes the namespace with its table, and vouches that it is new. So the first start need not begin ahead
// of the clock, as if the namespace had been lost; and MustExist has a start fail if it is lost later.
func ExampleFound() {
	ctx := context.Background()
	store := must(stores.New(drivertest.NewMemory()).Leases("orders"))
	migrate := func() error { return lease.Found(ctx, store, lease.Founding{}) } // in the first version of the schema

	start := func() error {
		leased := must(lease.New(store, lease.Config{MustExist: true, Logger: slog.New(slog.DiscardHandler)}))
		generator, err := cached.New(leased, cached.Config{})
		if err != nil {
			return err
		}
		fmt.Println("ahead of the clock:", generator.Health().Worker.Ahead != nil)
		return generator.Close()
	}
	fmt.Println(errors.Is(start(), worker.ErrNoNamespace))
	fmt.Println(migrate(), start())
	// Output:
	// true
	// ahead of the clock: false
	// <nil> <nil>
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
		store := must(stores.New(drivertest.NewMemory()).Leases("orders")) // the region's database
		// Once, and by hand: uid worker init --ids does it.
		if err := lease.Found(ctx, store, lease.Founding{IDs: ids}); err != nil {
			panic(err)
		}
		// At each start. A process that asks the wrong database is refused.
		worker := must(lease.New(store, lease.Config{IDs: ids, Logger: slog.New(slog.DiscardHandler)}))
		fmt.Println(region, must(worker.Acquire(ctx, layout.Terms())).WorkerID)
	}
	// Unordered output:
	// eu 0
	// us 2097152
}
