package uncached_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/worker"
)

// The examples' clock stands still, so that they always print the same; programs leave
// Config.Now out.
var now = time.Date(2026, time.November, 21, 10, 0, 0, 0, time.UTC)

func clock() time.Time { return now }

// A generator for worker 4 with the default layout.
func Example() {
	g, err := uncached.New(worker.Static(4, "orders"), uncached.Config{Now: clock})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	for range 2 {
		u, err := g.GetUID()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(u)
	}
	// Output:
	// 963089722559725568
	// 963089722559725569
}

// A UID tells when it was made, by whom, and which of that tick's it is.
func ExampleGenerator_ParseUID() {
	layout := bits.MustLayout(bits.Config{
		TimeBits: 41, WorkerBits: 10, SequenceBits: 12, Unit: time.Millisecond,
		Fields: []uid.Field{{Name: "datacenter", Bits: 5}, {Name: "worker", Bits: 5}},
	})
	id, _ := layout.WorkerID(map[string]int64{"datacenter": 3, "worker": 17})
	g := uncached.MustNew(worker.Static(id), uncached.Config{Layout: layout, Now: clock})
	defer g.Close()
	u, _ := g.GetUID()
	fmt.Println(g.ParseUID(u))
	// Output:
	// 117564663398862848: 2026-11-21T10:00:00Z, worker 113 (datacenter 3, worker 17), sequence 0 <nil>
}

// Fill takes many at once, for the price of one call.
func ExampleGenerator_Fill() {
	g := uncached.MustNew(worker.Static(4, "fill"), uncached.Config{Now: clock})
	defer g.Close()
	ids := make([]uid.UID, 1000)
	n, err := g.Fill(ids)
	fmt.Println(n, err, ids[999]-ids[0])
	// Output:
	// 1000 <nil> 999
}

// GetUIDContext gives up waiting for the next tick, once the context ends.
func ExampleGenerator_GetUIDContext() {
	layout, _ := bits.ParseLayout("28/33/2") // four UIDs a second
	g := uncached.MustNew(worker.Static(4, "wait"), uncached.Config{Layout: layout, Now: clock})
	defer g.Close()
	for range 4 {
		u, err := g.GetUIDContext(context.Background())
		fmt.Println(u, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	u, err := g.GetUIDContext(ctx)
	fmt.Println(u, err)
	// Output:
	// 963089722559692816 <nil>
	// 963089722559692817 <nil>
	// 963089722559692818 <nil>
	// 963089722559692819 <nil>
	// 0 context deadline exceeded
}

// Where the time in a UID has to be the clock's, small steps back are waited for and others
// fail.
func ExampleWait() {
	at := now
	g := uncached.MustNew(worker.Static(4, "back"), uncached.Config{
		ClockBack: uncached.Wait(uncached.DefaultWait),
		Now:       func() time.Time { return at },
		Logger:    slog.New(slog.DiscardHandler),
	})
	defer g.Close()
	g.GetUID()
	at = at.Add(-5 * time.Second)
	_, err := g.GetUID()
	var back *uid.ClockBackError
	if errors.As(err, &back) {
		fmt.Println("behind by", back.Back, "of", back.Limit)
	}
	// Output:
	// behind by 5s of 10ms
}

// A worker ID field of which two bits count how often the clock went back.
func ExampleRollbackBits() {
	at := now
	g := uncached.MustNew(worker.Static(4, "rollback"), uncached.Config{
		ClockBack: uncached.RollbackBits(2),
		Now:       func() time.Time { return at },
		Logger:    slog.New(slog.DiscardHandler),
	})
	defer g.Close()
	for range 2 {
		u, _ := g.GetUID()
		fmt.Println(g.ParseUID(u))
		at = at.Add(-time.Hour)
	}
	// Output:
	// 963089722559725568: 2026-11-21T10:00:00Z, worker 4 (rollback 0, worker 4), sequence 0 <nil>
	// 962966036091535360: 2026-11-21T09:00:00Z, worker 1048580 (rollback 1, worker 4), sequence 0 <nil>
}
