package etcdtest_test

import (
	"context"
	"fmt"
	"log"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/stores/etcd"
	"github.com/uidgen/uid/stores/etcd/etcdtest"
)

// The reply to a write is lost: it is stored, and the caller cannot know.
func ExampleFaults() {
	var f etcdtest.Faults
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"localhost:2379"}, DialOptions: f.DialOptions()})
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
	f.Set(storetest.LoseReply)
	err = leases.Change(context.Background(), 5, func(_ *leasestore.Namespace, r *leasestore.Row, _ leasestore.Clock) error {
		r.Holder = "me"
		return nil
	})
	fmt.Println(err) // the outcome is open
}
