// Sqlc keys the rows of a table with UIDs, by code that sqlc generates: sqlc.yaml has it use the type
// uid.UID. Its worker ID is leased from the same database.
//
//	UID_MYSQL_DSN='user@tcp(db:3306)/shop?multiStatements=true' sqlc
package main

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"os"

	_ "github.com/go-sql-driver/mysql"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/recipes/sqlc/orders"
	"github.com/uidgen/uid/worker/sqlstore"
)

//go:generate go run github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1 generate

//go:embed schema.sql
var schema string

func main() {
	ctx := context.Background()
	db, err := sql.Open("mysql", os.Getenv("UID_MYSQL_DSN"))
	check(err)
	defer db.Close()
	uids, err := cached.New(sqlstore.Lease(db, "orders"), cached.Config{})
	check(err)
	defer func() { check(uids.Close()) }() // gives the worker ID back
	_, err = db.ExecContext(ctx, schema)
	check(err)

	queries := orders.New(db)
	for _, item := range []string{"lamp", "chair", "table"} {
		var keys [2]uid.UID
		_, err = uids.FillContext(ctx, keys[:])
		check(err)
		check(queries.CreateOrder(ctx, orders.CreateOrderParams{ID: keys[0], Item: item}))
		check(queries.CreateParcel(ctx, orders.CreateParcelParams{ID: keys[1], OrderID: keys[0]}))
	}
	all, err := queries.Orders(ctx)
	check(err)
	for _, o := range all {
		parcels, err := queries.ParcelsOf(ctx, o.ID)
		check(err)
		fmt.Println(o.ID, o.Item, len(parcels), "parcels")
	}
}

func check(err error) {
	if err != nil {
		panic(err) // what is deferred runs
	}
}
