package lease

import "github.com/uidgen/uid/internal/storage"

// A Store keeps the rows of one namespace, which all processes that lease IDs in it share: one for each worker ID that
// was ever to be had, and one for the namespace. Packages sqlstore and stores, and the modules below stores, have some.
type Store = storage.LeaseStore

// A Range is the worker IDs from First to Last, both included: lease.Range{First: 0, Last: 1023}.
type Range = storage.Range
