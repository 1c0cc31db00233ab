// Sqlx keys the rows of a table with UIDs, by sqlx. Its worker ID is a new row's key in
// UidGenerator's table, which services in Java can share.
//
//	UID_MYSQL_DSN='user@tcp(db:3306)/shop' sqlx
package main

import (
	"context"
	"fmt"
	"os"

	_ "github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/worker/sqlstore"
)

// An Order is a row of the table orders.
type Order struct {
	ID   uid.UID `db:"id"`
	Item string  `db:"item"`
}

func main() {
	ctx := context.Background()
	db, err := sqlx.Open("mysql", os.Getenv("UID_MYSQL_DSN"))
	check(err)
	defer db.Close()
	uids, err := cached.New(sqlstore.Disposable(db), cached.Config{})
	check(err)
	defer func() { check(uids.Close()) }()

	// No AUTO_INCREMENT: a row without a key is an error. So is a 0, from a key that nobody set.
	_, err = db.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS orders (
	id BIGINT NOT NULL PRIMARY KEY CHECK (id > 0), item VARCHAR(100) NOT NULL)`)
	check(err)
	// A batch takes its keys in one call.
	orders := []Order{{Item: "lamp"}, {Item: "chair"}, {Item: "table"}}
	keys := make([]uid.UID, len(orders))
	_, err = uids.FillContext(ctx, keys)
	check(err)
	for i := range orders {
		orders[i].ID = keys[i]
	}
	_, err = db.NamedExecContext(ctx, "INSERT INTO orders (id, item) VALUES (:id, :item)", orders)
	check(err)

	// The newest come first by their keys: a UID sorts by its time.
	check(db.SelectContext(ctx, &orders, "SELECT id, item FROM orders ORDER BY id DESC LIMIT 3"))
	for _, o := range orders {
		fmt.Println(o.ID, o.Item)
	}
}

func check(err error) {
	if err != nil {
		panic(err) // what is deferred runs
	}
}
