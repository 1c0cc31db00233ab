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

// must returns what a call returns that does not fail. A program looks at each error.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

func Example() {
	g := must(segment.New(store, "invoice", segment.Config{Create: true}))
	defer g.Close()
	for range 3 {
		fmt.Println(g.GetUID())
	}
	// Output:
	// 1 <nil>
	// 2 <nil>
	// 3 <nil>
}

func ExampleRegistry() {
	tables := must(segment.NewRegistry(store, segment.Config{Create: true}))
	defer tables.Close()
	for _, table := range []string{"users", "orders", "users"} {
		fmt.Println(table, must(tables.GetUID(table)))
	}
	// Output:
	// users 1
	// orders 1
	// users 2
}

func ExampleDaily() {
	shanghai := time.FixedZone("Asia/Shanghai", 8*60*60) // or time.LoadLocation
	orders := must(segment.NewDaily(store, "order", shanghai, segment.Config{
		Now: func() time.Time { return time.Date(2026, 11, 22, 18, 30, 0, 0, time.UTC) },
	}))
	defer orders.Close()
	for range 2 {
		fmt.Println(orders.Next(context.Background()))
	}
	// Output:
	// 20261123-000001 <nil>
	// 20261123-000002 <nil>
}
