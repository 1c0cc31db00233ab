package kubernetes_test

import (
	"context"
	"fmt"
	"log"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/stores/kubernetes"
	"github.com/uidgen/uid/worker/lease"
)

// A pod gets its worker ID from its cluster, and issues UIDs.
func Example() {
	g, err := cached.New(kubernetes.Lease("orders"), cached.Config{})
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

// A person makes the namespace, once, from outside of the cluster: so does uid worker init.
func Example_operator() {
	store, err := kubernetes.New(kubernetes.Config{
		URL: "https://10.0.0.1:6443", CAFile: "ca.pem", TokenFile: "token", Namespace: "shop",
	})
	if err != nil {
		log.Fatal(err)
	}
	leases, err := store.Leases("orders")
	if err != nil {
		log.Fatal(err)
	}
	if err := lease.Found(context.Background(), leases, lease.Founding{}); err != nil {
		log.Fatal(err)
	}
}

func ExampleNew() {
	_, err := kubernetes.New(kubernetes.Config{URL: "http://10.0.0.1:6443", TokenFile: "token", Namespace: "shop"})
	fmt.Println(err)
	// Output:
	// unusable configuration: the URL has no TLS: a token is not sent without
}
