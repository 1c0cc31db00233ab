package storetest_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker/lease"
)

// cluster stands for a server of one's own, and its client for a lease.Store that was written
// for it.
type cluster struct{ m *storetest.Memory }

func start(*testing.T) *cluster { return &cluster{storetest.NewMemory(storetest.MemoryConfig{})} }

func (c *cluster) client(namespace string) (lease.Store, error) { return c.m.Store(namespace), nil }

// A test of a store of one's own. Each check begins with an empty store.
func ExampleRun() {
	// In a file of one's own: func TestStore(t *testing.T) {
	test := func(t *testing.T) {
		storetest.Run(t, storetest.Config{}, func(t *testing.T) storetest.Subject {
			server := start(t)
			return storetest.Subject{Open: server.client}
		})
	}
	_ = test
}

// A test of a store of many namespaces of one's own: of each namespace, and of all together.
func ExampleRunRegistry() {
	test := func(t *testing.T) {
		open := func(t *testing.T) storetest.Subject {
			server := start(t)
			return storetest.Subject{Registry: func() (registry.Store, error) { return server.m.Registry(), nil }}
		}
		storetest.Run(t, storetest.Config{}, open)
		storetest.RunRegistry(t, storetest.Config{}, open)
	}
	_ = test
}

// A test of how a program bears a store that fails: when the reply is lost by which it gets an
// ID, it takes that one up again, and not a second one.
func ExampleMemory() {
	memory := storetest.NewMemory(storetest.MemoryConfig{})
	store := memory.Store("orders")
	if err := lease.Found(context.Background(), store, lease.Founding{}); err != nil {
		fmt.Println(err)
		return
	}

	store.Fault(storetest.LoseReply)
	worker, err := lease.New(store, lease.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := cached.New(worker, cached.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	if _, err := g.GetUID(); err != nil {
		fmt.Println(err)
		return
	}
	row, _ := memory.Row("orders", 1)
	fmt.Println("a second ID was leased:", !row.Unused())
	// Output: a second ID was leased: false
}
