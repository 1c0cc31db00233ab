// Xorm keys the rows of xorm's structs with UIDs: a hook gives one to each row that has no key. Its worker ID is leased
// in the same file.
//
//	UID_SQLITE_FILE=shop.db xorm
package main

import (
	"fmt"
	"os"

	"xorm.io/xorm"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/worker/sqlite"
)

var uids *cached.Generator

// An Orders is a row of the table orders. Without a hook, or a UID, its key is 0, which the table refuses.
type Orders struct {
	ID   uid.UID `xorm:"'id' pk"`
	Item string
}

// BeforeInsert runs for what is a pointer, not for the structs in a []Orders.
func (o *Orders) BeforeInsert() {
	if o.ID == 0 {
		o.ID, _ = uids.GetUID()
	}
}

func main() {
	file := os.Getenv("UID_SQLITE_FILE")
	uids = must(cached.New(sqlite.Lease(file, "orders"), cached.Config{}))
	defer func() { _ = uids.Close() }() // gives the worker ID back
	db := must(xorm.NewEngine("sqlite", file))
	must(db.Exec("CREATE TABLE IF NOT EXISTS orders (id BIGINT NOT NULL PRIMARY KEY CHECK (id > 0), item TEXT)"))
	orders := []*Orders{{Item: "lamp"}, {Item: "chair"}}
	must(db.Insert(&orders))
	for _, o := range orders {
		fmt.Println(o.ID, o.Item)
	}
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err) // what is deferred runs
	}
	return v
}
