package backfill_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/uidgen/uid/backfill"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/drivertest"
	"github.com/uidgen/uid/worker/lease"
)

// Old rows get UIDs of the time of their creation, in the namespace of the live generators. The store
// in memory stands for one that processes share, from package sqlstore say.
func Example() {
	store := must(stores.New(drivertest.NewMemory()).Leases("orders"))
	if err := lease.Found(context.Background(), store, lease.Founding{}); err != nil {
		panic(err)
	}
	rows := []time.Time{ // SELECT created_at FROM orders WHERE uid IS NULL
		time.Date(2026, 3, 2, 18, 7, 53, 0, time.UTC),
		time.Date(2026, 1, 31, 9, 0, 0, 500e6, time.UTC),
		time.Date(2026, 3, 2, 18, 7, 53, 0, time.UTC),
	}
	g := must(backfill.New(backfill.FromLeases(store, backfill.LeaseConfig{Losses: lease.Never}), backfill.Config{
		From:   rows[1], // SELECT MIN(created_at), MAX(created_at)
		To:     rows[0],
		Logger: slog.New(slog.DiscardHandler),
	}))
	for _, createdAt := range rows {
		fmt.Println(g.At(createdAt)) // UPDATE orders SET uid = …
	}
	fmt.Println(g.Close())
	// Output:
	// 180363646902206464 <nil>
	// 90173697372979200 <nil>
	// 180363646902206465 <nil>
	// <nil>
}

// newRun is a run in a namespace of its own.
func newRun(layout bits.Layout, from, to time.Time) *backfill.Generator {
	store := must(stores.New(drivertest.NewMemory()).Leases("orders"))
	if err := lease.Found(context.Background(), store, lease.Founding{Layout: layout}); err != nil {
		panic(err)
	}
	return must(backfill.New(backfill.FromLeases(store, backfill.LeaseConfig{Losses: lease.Never}), backfill.Config{
		Layout: layout, From: from, To: to, Logger: slog.New(slog.DiscardHandler),
	}))
}

// More rows than a tick holds: exactly their time as long as there is room, and else up to a minute
// later.
func ExampleGenerator_AtOrAfter() {
	layout := bits.MustLayout(bits.Config{TimeBits: 31, WorkerBits: 31, SequenceBits: 1, Unit: time.Second})
	noon := time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)
	g := newRun(layout, noon, noon.Add(time.Hour))
	for range 3 {
		if _, err := g.At(noon); errors.Is(err, backfill.ErrFull) {
			fmt.Println("the tick of noon is full")
		}
	}
	u := must(g.AtOrAfter(noon, time.Minute))
	fmt.Println(must(g.ParseUID(u)).Time)
	// Output:
	// the tick of noon is full
	// 2026-02-01 12:00:01 +0000 UTC
}

// Rows of which only the day is known.
func ExampleGenerator_Spread() {
	day := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	night := day.Add(24*time.Hour - 1)
	g := newRun(bits.Default(), day, night)
	for u, err := range g.Spread(day, night, 4) {
		fmt.Println(must(g.ParseUID(u)).Time.Format(time.DateTime), err)
	}
	// Output:
	// 2026-02-01 00:00:00 <nil>
	// 2026-02-01 06:00:00 <nil>
	// 2026-02-01 12:00:00 <nil>
	// 2026-02-01 18:00:00 <nil>
}
