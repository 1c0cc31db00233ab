package lease

import "github.com/uidgen/uid/internal/leasestore"

// A Store keeps the rows of one namespace, which all processes that lease IDs in it share: a row for each worker ID
// that was ever to be had, and one for the namespace itself. Package sqlstore and the modules stores/etcd, stores/redis
// and stores/zookeeper have Stores; package stores makes one of a driver that you write.
type Store = leasestore.Store

// A Range is the worker IDs from First to Last, both included: lease.Range{First: 0, Last: 1023}.
type Range = leasestore.Range
