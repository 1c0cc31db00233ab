package segment_test

import (
	"context"
	"fmt"
	"time"

	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/drivertest"
)

// store stands for a store of the program's own: sqlstore's Segments, or one of the modules
// stores/etcd, stores/redis and stores/zookeeper.
var store = stores.New(drivertest.NewMemory()).Segments()

func Example() {
	g, err := segment.New(store, "invoice", segment.Config{Create: true})
	if err != nil {
		panic(err)
	}
	defer g.Close()
	for range 3 {
		n, err := g.GetUID()
		if err != nil {
			panic(err)
		}
		fmt.Println(n)
	}
	// Output:
	// 1
	// 2
	// 3
}

func ExampleRegistry() {
	tables, err := segment.NewRegistry(store, segment.Config{Create: true})
	if err != nil {
		panic(err)
	}
	defer tables.Close()
	for _, table := range []string{"users", "orders", "users"} {
		n, err := tables.GetUID(table)
		if err != nil {
			panic(err)
		}
		fmt.Println(table, n)
	}
	// Output:
	// users 1
	// orders 1
	// users 2
}

func ExampleDaily() {
	shanghai := time.FixedZone("Asia/Shanghai", 8*60*60) // or time.LoadLocation
	orders, err := segment.NewDaily(store, "order", shanghai, segment.Config{
		Now: func() time.Time { return time.Date(2026, 11, 22, 18, 30, 0, 0, time.UTC) },
	})
	if err != nil {
		panic(err)
	}
	defer orders.Close()
	for range 2 {
		n, err := orders.Next(context.Background())
		if err != nil {
			panic(err)
		}
		fmt.Println(n)
	}
	// Output:
	// 20261123-000001
	// 20261123-000002
}
