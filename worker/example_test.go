package worker_test

import (
	"fmt"
	"log"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/worker"
)

// A generator under an ID that no other process has.
func ExampleStatic() {
	g, err := cached.New(worker.Static(7), cached.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	u, err := g.GetUID()
	if err != nil {
		log.Fatal(err)
	}
	parts, err := g.ParseUID(u)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("worker", parts.WorkerID)
	// Output: worker 7
}

// The ID comes from whoever starts the process: here the ordinal of a StatefulSet's pod. In
// the pod itself the source is HostOrdinalID().
func ExampleFromSource() {
	g, err := cached.New(worker.FromSource(worker.OrdinalID("web-12")), cached.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	u, err := g.GetUID()
	if err != nil {
		log.Fatal(err)
	}
	parts, err := g.ParseUID(u)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("worker", parts.WorkerID)
	// Output: worker 12
}

// What is wrong with an ID shows when a generator is made, with the numbers.
func ExampleFixedID() {
	_, err := cached.New(worker.FromSource(worker.FixedID(4194304)), cached.Config{})
	fmt.Println(err)
	// Output: cached: acquiring the worker: value out of range: worker ID 4194304 is not within 0..4194303, the layout's maximum
}
