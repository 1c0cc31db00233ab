// Sqlc keys the rows of a table with UIDs, by code that sqlc generates: sqlc.yaml has it use the type
// uid.UID. Its worker ID is leased from the same database.
//
//	UID_MYSQL_DSN='user@tcp(db:3306)/shop?multiStatements=true' sqlc
package main

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"log"
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
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) (err error) {
	db, err := sql.Open("mysql", os.Getenv("UID_MYSQL_DSN"))
	if err != nil {
		return err
	}
	defer db.Close()
	uids, err := cached.New(sqlstore.Lease(db, "orders"), cached.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, uids.Close()) }() // gives the worker ID back
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return err
	}

	queries := orders.New(db)
	for _, item := range []string{"lamp", "chair", "table"} {
		var keys [2]uid.UID
		if _, err := uids.FillContext(ctx, keys[:]); err != nil {
			return err
		}
		if err := queries.CreateOrder(ctx, orders.CreateOrderParams{ID: keys[0], Item: item}); err != nil {
			return err
		}
		if err := queries.CreateParcel(ctx, orders.CreateParcelParams{ID: keys[1], OrderID: keys[0]}); err != nil {
			return err
		}
	}
	all, err := queries.Orders(ctx)
	if err != nil {
		return err
	}
	for _, o := range all {
		parcels, err := queries.ParcelsOf(ctx, o.ID)
		if err != nil {
			return err
		}
		fmt.Println(o.ID, o.Item, len(parcels), "parcels")
	}
	return nil
}
