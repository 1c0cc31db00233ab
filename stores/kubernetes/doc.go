// Package kubernetes keeps leases of worker IDs (see package lease), and segments of numbers (see package segment), in
// the API server of a Kubernetes cluster. A pod has all that it needs:
//
//	uids, err := cached.New(kubernetes.Lease("orders"), cached.Config{})
//
// Each worker ID, namespace and tag is a Lease of coordination.k8s.io; nothing else is read or written:
//
//	kubectl get leases -l app.kubernetes.io/managed-by=uid
//
// # What makes it safe
//
// A request writes one object, if that is as it was read. A row counts if, by the revisions of etcd, its namespace's
// object was not written between what the row was decided on and the row; else what it replaced does. First
// looks are from the API server's memory; verdicts and errors are by a quorum of etcd.
//
// Each client goes by its own clock: see [Config.ClockError]. A start notices one that is off the API server's by more
// than two ClockError and a second.
//
// # What breaks it
//
// These can lose what was acknowledged, and the same ticks, or numbers, may then be used again:
//   - an etcd that is restored from a snapshot, loses the disks of a majority, or runs with --unsafe-no-fsync;
//   - Leases that a backup tool puts back, or that are changed by hand;
//   - an API server over another storage than etcd, whose revisions may not be one order of all writes.
//
// After a restore: stop all workers of the namespace, and delete its own Lease (kubectl delete lease uid-orders). The
// first start makes it anew, beyond what anybody can have reserved. Stop all generators of a tag, too, delete its Lease
// (uidseg-invoices), and make it anew above all numbers that are in use.
//
// Nobody gets the ID of a Lease that is deleted until it is put back as it was.
//
// # Rights
//
// An account needs a Role with the verbs get, list, create and update on leases of coordination.k8s.io. The error of
// one that is missing names it.
//
// # Cost
//
// A renewal is two requests, PUT and GET; a start on a free row has a list before, or two where there are more than 64
// rows. One that finds none makes 16, by a request each, and five besides. A Change of a segment's row is two, and two
// more each time that another client was faster.
package kubernetes
