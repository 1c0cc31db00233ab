package zookeeper_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"log"
	"net"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/stores/zookeeper"
	"github.com/uidgen/uid/worker/lease"
)

// A service draws UIDs with a worker ID that it leases in an ensemble, with authentication and TLS.
func Example() {
	ctx := context.Background()
	secure := func(network, address string, timeout time.Duration) (net.Conn, error) {
		d := tls.Dialer{NetDialer: &net.Dialer{Timeout: timeout}, Config: &tls.Config{MinVersion: tls.VersionTLS13}}
		return d.Dial(network, address)
	}
	conn, _, err := zk.Connect([]string{"zk1:2281", "zk2:2281", "zk3:2281"}, 10*time.Second, zk.WithDialer(secure))
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	if err := conn.AddAuth("digest", []byte("uid:"+"the password")); err != nil {
		log.Fatal(err)
	}
	store, err := zookeeper.New(conn, zookeeper.Config{ACL: zk.AuthACL(zk.PermAll)})
	if err != nil {
		log.Fatal(err)
	}
	leases, err := store.Leases("orders")
	if err != nil {
		log.Fatal(err)
	}
	layout := bits.Default()
	// Once, with an account that may create nodes: also the command uid worker init.
	if err := lease.Found(ctx, leases, lease.Founding{Terms: layout.Terms()}); err != nil {
		log.Fatal(err)
	}
	worker, err := lease.New(leases, lease.Config{})
	if err != nil {
		log.Fatal(err)
	}
	uids, err := cached.NewContext(ctx, worker, cached.Config{Layout: layout})
	if err != nil {
		log.Fatal(err)
	}
	defer uids.Close()
	id, err := uids.GetUIDContext(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(id)
}

// A service draws order numbers, dense and without time, of a tag that all its processes share.
func ExampleStore_Segments() {
	conn, _, err := zk.Connect([]string{"zk1:2181", "zk2:2181", "zk3:2181"}, 10*time.Second)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	store, err := zookeeper.New(conn, zookeeper.Config{Root: "/apps/shop"})
	if err != nil {
		log.Fatal(err)
	}
	orders, err := segment.New(segment.Source{Store: store.Segments(), Tag: "orders"}, segment.Config{Create: true})
	if err != nil {
		log.Fatal(err)
	}
	defer orders.Close()
	number, err := orders.GetUID()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(number)
}
