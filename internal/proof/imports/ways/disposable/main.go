// The program with disposable worker IDs on MySQL.
package main

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

func main() {
	db, err := sqlx.Open("mysql", os.Getenv("UID_MYSQL_DSN"))
	if err != nil {
		log.Fatal(err)
	}
	tables, err := sqlstore.New(db, sqlstore.Config{})
	if err != nil {
		log.Fatal(err)
	}
	w, err := disposable.New(tables.Numbers(), disposable.Config{})
	if err != nil {
		log.Fatal(err)
	}
	g, err := cached.New(w, cached.Config{})
	if err != nil {
		log.Fatal(err)
	}
	u, err := g.GetUID()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(u)
	if err := g.Close(); err != nil {
		log.Fatal(err)
	}
}
