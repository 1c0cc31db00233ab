package uid_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	_ "github.com/go-sql-driver/mysql"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/connect"
	_ "github.com/uidgen/uid/connect/mysql"
	"github.com/uidgen/uid/opaque"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/sqlstore"
	"github.com/uidgen/uid/worker/statefile"
)

// draw prints under which worker ID a generator makes a UID, and closes it.
func draw(g *cached.Generator, err error) {
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	u, err := g.GetUID()
	if err != nil {
		log.Fatal(err)
	}
	parts, err := g.ParseUID(u)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("worker", parts.WorkerID)
}

// The worker ID is fixed: no other process has it.
func Example() {
	g, err := cached.New(worker.Static(1), cached.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	u, err := g.GetUID()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(u > 0)
	// Output: true
}

// The worker ID is leased from a database, and given back by Close. For a file of SQLite it is
// sqlite.Lease("workers.db", "orders").
func Example_database() {
	db, err := sql.Open("mysql", os.Getenv("UID_MYSQL_DSN"))
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	draw(cached.New(sqlstore.Lease(db, "orders"), cached.Config{}))
}

// Each start takes a new worker ID, from the table of UidGenerator.
func Example_newWorkerID() {
	db, err := sql.Open("mysql", os.Getenv("UID_MYSQL_DSN"))
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	draw(cached.New(sqlstore.Disposable(db), cached.Config{}))
}

// Something numbers the processes, and a file keeps what was issued.
func Example_stateFile() {
	dir, err := os.MkdirTemp("", "uid")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	w, err := statefile.New(filepath.Join(dir, "orders.uid"), worker.FixedID(7), statefile.Config{})
	if err != nil {
		log.Fatal(err)
	}
	draw(cached.New(w, cached.Config{}))
	// Output: worker 7
}

// The environment says where the worker ID comes from.
func Example_environment() {
	draw(connect.Cached(context.Background(), os.Getenv("UID_STORE"), cached.Config{}))
}

// Dense numbers, without time.
func Example_numbers() {
	db, err := sql.Open("mysql", os.Getenv("UID_MYSQL_DSN"))
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	invoices, err := sqlstore.Segment(db, "invoice", segment.Config{Create: true})
	if err != nil {
		log.Fatal(err)
	}
	defer invoices.Close()
	n, err := invoices.GetUID()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n)
}

// What outsiders see tells nothing.
func Example_sealed() {
	orders, err := opaque.ParseSealer("1:"+strings.Repeat("4f", 32), "orders") // the key is from a secret, say
	if err != nil {
		log.Fatal(err)
	}
	text, err := orders.Seal(uid.UID(180363646902239241))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
	// Output: 12ezmba4777azp
}
