module github.com/uidgen/uid/worker/sqlite

go 1.26.0

require (
	github.com/jmoiron/sqlx v1.4.0
	github.com/stretchr/testify v1.12.1
	github.com/uidgen/uid v0.0.0
	modernc.org/sqlite v1.61.1
)
