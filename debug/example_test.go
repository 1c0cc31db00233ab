package debug_test

import (
	"context"
	"log"
	"net/http"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/debug"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/drivertest"
	"github.com/uidgen/uid/worker/lease"
)

// A program with a page on a port of its own, which only the machine itself reaches.
func Example() {
	store := stores.New(drivertest.NewMemory()) // a sqlstore.DB, say
	leases, err := store.Leases("orders")
	if err != nil {
		log.Fatal(err)
	}
	if err := lease.Found(context.Background(), leases, lease.Founding{}); err != nil {
		log.Fatal(err)
	}
	w, err := lease.New(leases, lease.Config{})
	if err != nil {
		log.Fatal(err)
	}
	g, err := cached.New(w, cached.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()

	page, err := debug.New(debug.Config{
		Title:      "Shop",
		Generators: []debug.Generator{{Name: "orders", Generator: g, Namespace: "orders"}},
		Workers:    debug.Workers(store.Registry()),
	})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/debug/uid/", page)
	go func() { log.Print(http.ListenAndServe("localhost:6061", mux)) }()
	// ...
}
