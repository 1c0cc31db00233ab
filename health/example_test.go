package health_test

import (
	"fmt"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/worker"
)

// A generator says whether it is ready, and why not.
func Example() {
	g := cached.MustNew(worker.Static(7), cached.Config{})
	h := g.Health()
	fmt.Println(h, h.Reservation.WorkerID, h.Lead.Bound)
	if err := g.Close(); err != nil {
		fmt.Println(err)
	}
	h = g.Health()
	fmt.Println(h)
	fmt.Println(h.Reasons[0].Code)
	// Output:
	// ready 7 1m30s
	// not ready: generator is closed
	// closed
}
