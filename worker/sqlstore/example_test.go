package sqlstore_test

import (
	"database/sql"
	"fmt"
	"log"
	"os"

	_ "github.com/go-sql-driver/mysql"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A service whose worker ID is leased from a MySQL server.
func ExampleLease() {
	db, err := sql.Open("mysql", os.Getenv("UID_MYSQL_DSN"))
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	uids, err := cached.New(sqlstore.Lease(db, "orders"), cached.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer uids.Close()
	id, err := uids.GetUID()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(id)
}

// A service that issues numbers of a tag of Leaf's table, beside services in Java that do so with
// Leaf. The row is there; its step is Leaf's, and the least that a generator takes at once.
func ExampleSegment() {
	db, err := sql.Open("mysql", os.Getenv("UID_MYSQL_DSN"))
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	numbers, err := sqlstore.Segment(db, "leaf-segment-test", segment.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer numbers.Close()
	n, err := numbers.GetUID()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n)
}

// A service that takes a new worker ID at each start, from the table of Baidu's UidGenerator.
func ExampleDisposable() {
	db, err := sql.Open("mysql", os.Getenv("UID_MYSQL_DSN"))
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	uids, err := cached.New(sqlstore.Disposable(db), cached.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer uids.Close()
	id, err := uids.GetUID()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(id)
}

// A service whose worker ID is leased from a PostgreSQL server, with a driver of database/sql that
// the program imports: github.com/jackc/pgx/v5/stdlib is "pgx". The URL is like
// postgres://uid@db/app?default_query_exec_mode=exec.
func ExampleLease_postgreSQL() {
	db, err := sql.Open("pgx", os.Getenv("UID_POSTGRES_URL"))
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	uids, err := cached.New(sqlstore.Lease(db, "orders"), cached.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer uids.Close()
	id, err := uids.GetUID()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(id)
}
