package uidtest_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/uidtest"
)

// An order is made by the code under test.
type order struct {
	ID   uid.UID
	Item string
}

// place is the code under test.
func place(ids uid.Drawer, item string) (order, error) {
	id, err := ids.GetUID()
	if err != nil {
		return order{}, fmt.Errorf("place an order of %s: %w", item, err)
	}
	return order{ID: id, Item: item}, nil
}

// The UIDs of a zero Config are 1, 2, 3.
func Example() {
	ids := uidtest.MustNew(uidtest.Config{})
	first, _ := place(ids, "tea")
	second, _ := place(ids, "milk")
	fmt.Println(first, second)
	// Output: {1 tea} {2 milk}
}

// At a time, and under a worker ID, the last digits count.
func ExampleMustNew() {
	ids := uidtest.MustNew(uidtest.Config{
		Start:    time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC),
		WorkerID: 7,
	})
	for range 3 {
		u, _ := ids.GetUID()
		parts, _ := ids.ParseUID(u)
		fmt.Println(u, parts.Time.Format(time.DateTime), parts.WorkerID)
	}
	// Output:
	// 963089722559751001 2026-11-21 10:00:00 7
	// 963089722559751002 2026-11-21 10:00:00 7
	// 963089722559751003 2026-11-21 10:00:00 7
}

// A generator that fails after two UIDs.
func ExampleConfig_failAfter() {
	ids := uidtest.MustNew(uidtest.Config{FailAfter: 2, Err: uid.ErrNoReservation})
	for range 3 {
		fmt.Println(place(ids, "tea"))
	}
	ids.Fail(nil) // and then succeeds again
	fmt.Println(place(ids, "tea"))
	// Output:
	// {1 tea} <nil>
	// {2 tea} <nil>
	// {0 } place an order of tea: no reservation
	// {3 tea} <nil>
}

// A real generator whose worker loses its ID, as a lease can.
func ExampleWorker_Lose() {
	w := &uidtest.Worker{ID: 3}
	ids := cached.MustNew(w, cached.Config{})
	before, _ := ids.GetUID()
	if err := w.Lose(4); err != nil {
		fmt.Println(err)
		return
	}
	after, _ := ids.GetUID()
	for _, u := range []uid.UID{before, after} {
		parts, _ := ids.ParseUID(u)
		fmt.Println(parts.WorkerID)
	}
	fmt.Println(before < after, ids.Close())
	// Output:
	// 3
	// 4
	// true <nil>
}

// What a generator asked of its worker.
func ExampleWorker_Calls() {
	w := &uidtest.Worker{ID: 3}
	ids := cached.MustNew(w, cached.Config{})
	w.Fail(errors.New("the store is down"))
	fmt.Println(ids.Close())
	for _, call := range w.Calls() {
		fmt.Println(call)
	}
	// Output:
	// cached: releasing the worker: the store is down
	// Acquire
	// Release(-1): the store is down
}
