package registry_test

import (
	"context"
	"errors"
	"time"

	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// memory is a registry.NodeStore for tests.
type memory struct {
	*storetest.Registry
	all    *storetest.Memory
	gone   bool // the place is not there
	nodes  *registry.NodeInfo
	faults []storetest.Fault // of the next calls of a namespace
}

// newMemory returns an empty one, whose clock may be off by as much.
func newMemory(off time.Duration) *memory {
	all := storetest.NewMemory(storetest.MemoryConfig{Now: func() time.Time { return now }, Error: off})
	return &memory{Registry: all.Registry(), all: all}
}

func (m *memory) Namespaces(ctx context.Context) (names []string, now leasestore.Clock, err error) {
	names, now, err = m.Registry.Namespaces(ctx)
	switch missing := errors.Is(err, worker.ErrNoNamespace); {
	case missing && !m.gone:
		err = nil // the place is there, and empty
	case err == nil && m.gone:
		err = worker.ErrNoNamespace
	}
	return names, now, err
}

func (m *memory) Nodes(ctx context.Context) (n registry.NodeInfo, found bool, err error) {
	if _, _, err = m.Registry.Namespaces(ctx); errors.Is(err, worker.ErrNoNamespace) {
		err = nil
	}
	if err == nil && m.nodes != nil {
		return *m.nodes, true, nil
	}
	return n, false, err
}

func (m *memory) Namespace(name string) (lease.Store, error) {
	s, err := m.Registry.Namespace(name)
	if err != nil {
		return nil, err
	}
	s.(*storetest.Client).Fault(m.faults...)
	return s, nil
}
