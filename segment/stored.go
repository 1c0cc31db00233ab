package segment

import "github.com/uidgen/uid/internal/storage"

// A Store keeps a row for each tag: how far its numbers have been given out. Stores come from package sqlstore, the
// modules stores/etcd, stores/redis and stores/zookeeper, and package stores, for databases of which you write the
// driver.
type Store = storage.SegmentStore
