package lease_test

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/storetest"
)

// A generator with a leased worker ID. The store in memory stands for one that processes
// share: a program takes it from package sqlstore, as
//
//	stores, err := sqlstore.New(db, sqlstore.Config{})
//	...
//	store, err := stores.Leases("orders")
func Example() {
	ctx := context.Background()
	store := storetest.NewMemory(storetest.MemoryConfig{}).Store("orders")

	// Once for the namespace, and not at each start: uid worker init does it.
	if err := lease.Found(ctx, store, bits.Default().Terms(), 0); err != nil {
		fmt.Println(err)
		return
	}

	worker, err := lease.New(store, lease.Config{
		DurableStore: true, // a store that never loses what it has acknowledged
		Logger:       slog.New(slog.DiscardHandler),
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

// IDs go from one process to the next. Acquire and Release are calls of a generator, as a
// rule: it makes the first when it is made, and the second when it is closed.
func ExampleNew() {
	ctx := context.Background()
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	memory := storetest.NewMemory(storetest.MemoryConfig{Now: clock})
	terms := bits.Default().Terms()
	if err := lease.Found(ctx, memory.Store("orders"), terms, 0); err != nil {
		fmt.Println(err)
		return
	}

	process := func(name string) *lease.Lease {
		l, err := lease.New(memory.Store("orders"), lease.Config{
			DurableStore: true,
			Holder:       name,
			OnEvent:      func(e lease.Event) { fmt.Println(name, e.Kind, e.WorkerID) },
			Now:          clock,
			Logger:       slog.New(slog.DiscardHandler),
		})
		if err != nil {
			fmt.Println(err)
			return nil
		}
		if _, err := l.Acquire(ctx, terms); err != nil {
			fmt.Println(err)
		}
		return l
	}
	first := process("first")
	process("second") // which crashes
	if err := first.Release(ctx, 1000); err != nil {
		fmt.Println(err)
	}
	process("third") // ID 0 is in quarantine
	now = now.Add(lease.DefaultQuarantine + time.Second)
	process("fourth") // ID 0 is free
	now = now.Add(lease.DefaultTTL + time.Second)
	process("fifth") // the leases of the second and the third are over, and so is the second's quarantine
	// Output:
	// first acquired 0
	// second acquired 1
	// third acquired 2
	// fourth acquired 0
	// fifth taken over 1
}
