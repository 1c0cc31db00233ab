// Sqlx keys the rows of a table with UIDs, by sqlx. Its worker ID is a new row's key in
// UidGenerator's table, which services in Java can share.
//
//	UID_MYSQL_DSN='user@tcp(db:3306)/shop' sqlx
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
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
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) (err error) {
	db, err := sqlx.Open("mysql", os.Getenv("UID_MYSQL_DSN"))
	if err != nil {
		return err
	}
	defer db.Close()
	uids, err := cached.New(sqlstore.Disposable(db), cached.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, uids.Close()) }()

	// No AUTO_INCREMENT: a row without a key is an error. So is a 0, from a key that nobody set.
	_, err = db.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS orders (id BIGINT NOT NULL PRIMARY KEY CHECK (id > 0), item VARCHAR(100) NOT NULL)`)
	if err != nil {
		return err
	}
	// A batch takes its keys in one call.
	orders := []Order{{Item: "lamp"}, {Item: "chair"}, {Item: "table"}}
	keys := make([]uid.UID, len(orders))
	if _, err := uids.FillContext(ctx, keys); err != nil {
		return err
	}
	for i := range orders {
		orders[i].ID = keys[i]
	}
	if _, err := db.NamedExecContext(ctx, "INSERT INTO orders (id, item) VALUES (:id, :item)", orders); err != nil {
		return err
	}

	// The newest come first by their keys: a UID sorts by its time.
	if err := db.SelectContext(ctx, &orders, "SELECT id, item FROM orders ORDER BY id DESC LIMIT 3"); err != nil {
		return err
	}
	for _, o := range orders {
		fmt.Println(o.ID, o.Item)
	}
	return nil
}
