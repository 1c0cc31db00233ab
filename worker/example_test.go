package worker_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/sqlite"
)

// exampleTerms are what a generator tells its worker. A program passes the worker
// to a generator instead, and never sees them.
var exampleTerms = uid.Terms{
	Layout: "28 s/22/13", Epoch: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Unit: time.Second,
	MaxTick: 1<<28 - 1, MaxWorkerID: 1<<22 - 1, Revoke: func() {},
}

// An ID that is known to be unique, one of a few machines, say.
func ExampleStatic() {
	ctx := context.Background()
	w := worker.Static(7)
	r, err := w.Acquire(ctx, exampleTerms)
	fmt.Println(r.WorkerID, err)

	_, err = w.Acquire(ctx, exampleTerms) // a second generator
	fmt.Println(errors.Is(err, uid.ErrWorkerInUse))

	_, err = worker.Static(4194304).Acquire(ctx, exampleTerms)
	fmt.Println(err)
	// Output:
	// 7 <nil>
	// true
	// value out of range: worker ID 4194304 is not within 0..4194303, the layout's maximum
}

// The ID of a StatefulSet's pod, with what was issued under it kept on the pod's volume.
// In the pod itself the source is HostOrdinalID().
func ExampleNewFile() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "uid-example-") // the volume
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	w, err := worker.NewFile(filepath.Join(dir, "uid.state"), worker.OrdinalID("web-12"), worker.FileConfig{
		Logger: slog.New(slog.DiscardHandler),
		Now:    func() time.Time { return exampleTerms.Epoch.Add(time.Hour) }, // in tick 3600
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := w.Acquire(ctx, exampleTerms)
	fmt.Println(r.WorkerID, r.First, r.Last, err)
	fmt.Println(w.Release(ctx, 3604)) // the last tick that was issued

	r, err = w.Acquire(ctx, exampleTerms) // the next start
	fmt.Println(r.WorkerID, r.First, err)
	// Output:
	// 12 0 3615 <nil>
	// <nil>
	// 12 3605 <nil>
}

// A new ID at each start, from a table that any number of processes share. With
// MySQL the database comes from sqlx.Open("mysql", dsn).
func ExampleNewDisposable() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "uid-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	db, err := sqlite.Open(ctx, filepath.Join(dir, "uid.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()

	for range 3 { // three starts
		w, err := worker.NewDisposable(db, worker.DisposableConfig{Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := w.Acquire(ctx, exampleTerms)
		fmt.Println(r.WorkerID, err)
	}
	// Output:
	// 1 <nil>
	// 2 <nil>
	// 3 <nil>
}

// IDs that go from one process to the next. Release is what a generator does when it is
// closed; the ID is free again after the quarantine.
func ExampleNewLease() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "uid-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	db, err := sqlite.Open(ctx, filepath.Join(dir, "uid.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()

	// Once for the namespace, not at each start; uid worker init does the same.
	registry, err := worker.NewRegistry(db, worker.RegistryConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := registry.Init(ctx, worker.Namespace{Name: "orders", Terms: exampleTerms}); err != nil {
		fmt.Println(err)
		return
	}

	lease := func() *worker.Lease {
		l, err := worker.NewLease(db, worker.LeaseConfig{
			Namespace:    "orders",
			DurableStore: true, // a local file, which loses nothing
			OnEvent:      func(e worker.LeaseEvent) { fmt.Println(e.Kind, e.WorkerID) },
			Logger:       slog.New(slog.DiscardHandler),
		})
		if err != nil {
			fmt.Println(err)
			return nil
		}
		if _, err := l.Acquire(ctx, exampleTerms); err != nil { // by a generator, as a rule
			fmt.Println(err)
		}
		return l
	}
	first := lease()
	lease()
	if err := first.Release(ctx, 1000); err != nil { // by its Close
		fmt.Println(err)
	}
	lease() // ID 0 is in quarantine
	// Output:
	// acquired 0
	// acquired 1
	// acquired 2
}

// Who holds which ID, and the end of a lease whose holder is known to be dead. The
// command uid worker does the same.
func ExampleRegistry() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "uid-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	db, err := sqlite.Open(ctx, filepath.Join(dir, "uid.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	registry, err := worker.NewRegistry(db, worker.RegistryConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := registry.Init(ctx, worker.Namespace{Terms: exampleTerms}); err != nil {
		fmt.Println(err)
		return
	}
	holder, err := worker.NewLease(db, worker.LeaseConfig{Holder: "api-1", DurableStore: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := holder.Acquire(ctx, exampleTerms); err != nil {
		fmt.Println(err)
		return
	}

	show := func() {
		o, err := registry.Overview(ctx, 0)
		if err != nil {
			fmt.Println(err)
		}
		for _, l := range o.Leases {
			fmt.Println(l.Namespace, l.WorkerID, l.State, l.Holder)
		}
	}
	show()
	_, err = registry.Release(ctx, "default", 0, false)
	fmt.Println(errors.Is(err, worker.ErrLive))
	_, err = registry.Release(ctx, "default", 0, true)
	fmt.Println(err)
	show()
	// Output:
	// default 0 live api-1
	// true
	// <nil>
	// default 0 quarantine api-1
}
