package lease

import "github.com/uidgen/uid/internal/leasestore"

// A Store keeps the rows of one namespace: a row for each worker ID that was ever to be had, and one for the namespace
// itself. All processes that lease IDs in the namespace share them. Those of package sqlstore, of the modules
// stores/etcd, stores/redis and stores/zookeeper, and of package stores, for databases of which you write the driver,
// are Stores.
type Store = leasestore.Store

// A Range is the worker IDs from First to Last, both included: lease.Range{First: 0, Last: 1023}.
type Range = leasestore.Range
