// Package etcdtest loses requests to etcd and replies on purpose. It is for the tests of package
// stores/etcd, here and on real servers: the answer to a write may never arrive,
// though the write is stored, and a write that was given up may arrive late. It is for tests only:
// it imports package testing.
//
//	var f etcdtest.Faults
//	client, err := clientv3.New(clientv3.Config{Endpoints: endpoints, DialOptions: f.DialOptions()})
//	...
//	f.Set(storetest.LoseReply) // of the next write
package etcdtest
