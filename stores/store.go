package stores

import (
	"context"
	"fmt"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker/lease"
)

// A Store holds namespaces of leases, and segments, in the database of a [Driver]. Make it with [New]. All methods may
// be called by any number of goroutines at once, and none asks the database for anything.
type Store struct{ driver Driver }

// New returns a store.
func New(d Driver) *Store {
	if d == nil {
		d = none{}
	}
	return &Store{d}
}

// none is the driver of a Store that was made without one: all that is asked of it says so.
type none struct{}

var errNone = fmt.Errorf("stores: %w: New was given no driver", uid.ErrConfig)

func (none) Name() string                                 { return "no store" }
func (none) Durable() bool                                { return false }
func (none) Read(context.Context, Query) (*Answer, error) { return nil, errNone }

func (none) Write(context.Context, Write) (bool, *Answer, error) { return false, nil, errNone }

// Driver returns the store's driver.
func (s *Store) Driver() Driver { return s.driver }

// Leases returns a namespace of leases. Worker IDs are unique within one, and all UIDs of one have the same layout.
// UIDs of two namespaces can be equal.
//
// The name has at most 64 characters: ASCII letters, digits, spaces (not at its ends) and !"#$%&'()*+,-./:;<=>?_. For
// "" it is "default". Leases returns [uid.ErrConfig] or [uid.ErrRange] for all other names.
func (s *Store) Leases(name string) (lease.Store, error) { return registered{s.driver}.Namespace(name) }

// Segments returns the rows of all tags.
func (s *Store) Segments() segment.Store { return segmentsOf(s.driver) }

// Registry returns what the command uid worker and the page of package debug ask of the store.
func (s *Store) Registry() registry.Store { return registered{s.driver} }
