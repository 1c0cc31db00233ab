package cluster

// LeaseWrite is a text that a statement has if it writes leases, each of which commits by itself,
// and LeaseWriteOnPostgres is that on PostgreSQL; others write between START TRANSACTION and Commit.
const (
	LeaseWrite           = "CONNECTION_ID() = "
	LeaseWriteOnPostgres = "0 = 0 AND COALESCE('server since "
	Commit               = "COMMIT"
)
