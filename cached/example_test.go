package cached_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/worker"
)

func Example() {
	g, err := cached.New(worker.Static(42), cached.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()

	a, _ := g.GetUID()
	b, _ := g.GetUID()
	parts, _ := g.ParseUID(b)
	fmt.Println(a < b, parts.WorkerID, parts.Sequence, time.Since(parts.Time) < time.Minute)
	// Output: true 42 1 true
}

// Fill claims many UIDs at once.
func ExampleGenerator_Fill() {
	g, err := cached.New(worker.Static(1), cached.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()

	keys := make([]uid.UID, 20_000) // more than a tick holds
	n, err := g.Fill(keys)
	fmt.Println(n, err, keys[0] < keys[n-1])
	// Output: 20000 <nil> true
}

// A goroutine that draws many UIDs takes a Lane.
func ExampleGenerator_Lane() {
	g, err := cached.New(worker.Static(1), cached.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()

	var all sync.Map
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			lane := g.Lane()
			for range 1000 {
				u, err := lane.GetUID()
				if _, twice := all.LoadOrStore(u, true); twice || err != nil {
					fmt.Println("never printed", u, err)
				}
			}
		})
	}
	wg.Wait()
	fmt.Println("done")
	// Output: done
}

// A service that rather fails than waits when it has borrowed all the future it may.
func ExampleConfig_failing() {
	g, err := cached.New(worker.Static(1), cached.Config{
		Layout:         bits.MustLayout(bits.Config{TimeBits: 28, WorkerBits: 31, SequenceBits: 4}),
		MaxLead:        2 * time.Second,
		OnRejectedTake: uid.Fail,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()

	drawn := 0
	for {
		if _, err = g.GetUID(); err != nil {
			break
		}
		drawn++
	}
	fmt.Println(drawn >= 3*16, errors.Is(err, uid.ErrRejectedTake))
	// Output: true true
}

// A call that must not wait longer than its request.
func ExampleGenerator_GetUIDContext() {
	g, err := cached.New(worker.Static(1), cached.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()

	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	u, err := g.GetUIDContext(ctx)
	fmt.Println(u > 0, err)
	// Output: true <nil>
}
