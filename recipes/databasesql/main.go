// Databasesql keys the rows of a table with UIDs, by database/sql and a driver alone. Its worker ID
// is leased from the same database.
//
//	UID_MYSQL_DSN='user@tcp(db:3306)/shop' databasesql
package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"

	_ "github.com/go-sql-driver/mysql"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/worker/sqlstore"
)

func main() {
	ctx := context.Background()
	db, err := sql.Open("mysql", os.Getenv("UID_MYSQL_DSN"))
	check(err)
	defer db.Close()
	uids, err := cached.New(sqlstore.Lease(db, "orders"), cached.Config{})
	check(err)
	defer func() { check(uids.Close()) }() // gives the worker ID back

	// No AUTO_INCREMENT: a row without a key is an error. So is a 0, from a key that nobody set.
	for _, statement := range []string{
		`CREATE TABLE IF NOT EXISTS orders (id BIGINT NOT NULL PRIMARY KEY CHECK (id > 0), item VARCHAR(100) NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS parcels (
		id BIGINT NOT NULL PRIMARY KEY CHECK (id > 0), order_id BIGINT NOT NULL REFERENCES orders (id))`,
	} {
		_, err = db.ExecContext(ctx, statement)
		check(err)
	}
	for _, item := range []string{"lamp", "chair", "table"} {
		order, err := place(ctx, db, uids, item)
		check(err)
		fmt.Println(order, item)
	}
}

// place writes an order and its parcel. Both keys are known before the first statement, so that
// nothing has to be read back, and a caller may try again with the same ones.
func place(ctx context.Context, db *sql.DB, uids uid.Generator, item string) (uid.UID, error) {
	var keys [2]uid.UID
	if _, err := uids.FillContext(ctx, keys[:]); err != nil {
		return 0, err
	}
	order, parcel := keys[0], keys[1]
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback() // does nothing after the commit
	if _, err := tx.ExecContext(ctx, "INSERT INTO orders (id, item) VALUES (?, ?)", order, item); err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO parcels (id, order_id) VALUES (?, ?)", parcel, order); err != nil {
		return 0, err
	}
	return order, tx.Commit()
}

func check(err error) {
	if err != nil {
		panic(err) // what is deferred runs
	}
}
