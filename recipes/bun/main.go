// Bun keys the rows of Bun's models with UIDs: a hook gives one to each row that has no key. Its worker ID is leased
// in the same file.
//
//	UID_SQLITE_FILE=shop.db bun
package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/worker/sqlite"
)

var uids *cached.Generator

// An Order is a row of the table orders. Without a hook its key is 0, which the table refuses.
type Order struct {
	ID   uid.UID `bun:",pk"`
	Item string
}

func (o *Order) BeforeAppendModel(ctx context.Context, q bun.Query) (err error) {
	if _, inserts := q.(*bun.InsertQuery); inserts && o.ID == 0 {
		o.ID, err = uids.GetUIDContext(ctx)
	}
	return err
}

func main() {
	ctx, file := context.Background(), os.Getenv("UID_SQLITE_FILE")
	uids = must(cached.New(sqlite.Lease(file, "orders"), cached.Config{}))
	defer func() { _ = uids.Close() }() // gives the worker ID back
	db := bun.NewDB(must(sql.Open("sqlite", file)), sqlitedialect.New())
	must(db.Exec("CREATE TABLE IF NOT EXISTS orders (id BIGINT NOT NULL PRIMARY KEY CHECK (id > 0), item TEXT)"))
	orders := []Order{{Item: "lamp"}, {Item: "chair"}}
	must(db.NewInsert().Model(&orders).Exec(ctx))
	fmt.Printf("%v\n%v\n", orders[0].ID, orders[1].ID)
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err) // what is deferred runs
	}
	return v
}
