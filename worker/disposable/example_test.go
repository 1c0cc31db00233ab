package disposable_test

import (
	"fmt"
	"log"
	"os"

	_ "github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A new ID at each start, from a table that any number of processes share.
func ExampleNew() {
	db, err := sqlx.Open("mysql", os.Getenv("UID_MYSQL_DSN"))
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	tables, err := sqlstore.New(db, sqlstore.Config{})
	if err != nil {
		log.Fatal(err)
	}
	w, err := disposable.New(tables.Numbers(), disposable.Config{})
	if err != nil {
		log.Fatal(err)
	}
	generator, err := cached.New(w, cached.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer generator.Close()
	u, err := generator.GetUID()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(u)
}
