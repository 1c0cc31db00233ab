package worker_test

import (
	"errors"
	"fmt"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/worker"
)

// An ID that is known to be unique, one of a few machines, say.
func ExampleStatic() {
	w := worker.Static(7)
	generator, err := cached.New(w, cached.Config{})
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

	_, err = cached.New(w, cached.Config{}) // a second generator on the same worker
	fmt.Println(errors.Is(err, uid.ErrWorkerInUse))

	if err := generator.Close(); err != nil {
		fmt.Println(err)
	}
	_, err = cached.New(worker.Static(4194304), cached.Config{})
	fmt.Println(errors.Is(err, uid.ErrRange))
	// Output:
	// 7
	// true
	// true
}

// An ID that is worked out when a generator is made: any function like this is a Source.
func ExampleFromSource() {
	sites := map[string]int64{"amsterdam": 1, "frankfurt": 2, "paris": 3} // one process at each
	site := func(maxWorkerID int64) (int64, error) {
		id, ok := sites["paris"]
		if !ok {
			return 0, errors.New("the site has no worker ID")
		}
		return id, nil
	}
	generator, err := cached.New(worker.FromSource(site), cached.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer generator.Close()
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
	// Output:
	// 3
}
