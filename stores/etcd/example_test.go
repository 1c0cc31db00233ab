package etcd_test

import (
	"context"
	"fmt"
	"log"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/stores/etcd"
	"github.com/uidgen/uid/worker/lease"
)

// A service gets its worker ID from etcd, and issues UIDs.
func Example() {
	client, err := clientv3.New(clientv3.Config{
		Endpoints: []string{"etcd-1:2379", "etcd-2:2379", "etcd-3:2379"}, Username: "orders-service", Password: "...",
		DialTimeout: 5 * time.Second, DialKeepAliveTime: 10 * time.Second, DialKeepAliveTimeout: 3 * time.Second,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	g, err := cached.New(etcd.Lease(client, "orders"), cached.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	id, err := g.GetUID()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(id)
}

// A person makes the namespace, once: so does uid worker init.
func Example_operator() {
	ctx := context.Background()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"etcd-1:2379", "etcd-2:2379", "etcd-3:2379"}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	store, err := etcd.New(client, etcd.Config{})
	if err != nil {
		log.Fatal(err)
	}
	leases, err := store.Leases("orders")
	if err != nil {
		log.Fatal(err)
	}
	if err := lease.Found(ctx, leases, lease.Founding{}); err != nil {
		log.Fatal(err)
	}
}

// Numbers above those that are in use, and a list of all tags.
func ExampleStore_Segments() {
	ctx := context.Background()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"etcd-1:2379", "etcd-2:2379", "etcd-3:2379"}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	store, err := etcd.New(client, etcd.Config{})
	if err != nil {
		log.Fatal(err)
	}
	segments := store.Segments()
	g, err := segment.New(segments, "invoices", segment.Config{First: 1_000_000, Create: true})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	n, err := g.GetUID()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n)
	rows, err := segments.Rows(ctx, "", 100)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range rows {
		fmt.Println(r.Tag, r.Next, r.Step, r.Updated, r.Description)
	}
}

func ExampleNew() {
	_, err := etcd.New(new(clientv3.Client), etcd.Config{Prefix: "apps/uid"})
	fmt.Println(err)
	_, err = etcd.New(new(clientv3.Client), etcd.Config{Prefix: "apps/uid/", ClockError: 2 * time.Hour})
	fmt.Println(err)
	// Output:
	// unusable configuration: the Prefix does not end with a slash
	// unusable configuration: ClockError 2h0m0s is not of whole microseconds from 1µs to 1h0m0s
}
