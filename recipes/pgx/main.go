// Pgx keys the rows of a PostgreSQL table with UIDs, by pgx's own interface. Its worker ID is leased
// through the same pool.
//
//	UID_POSTGRES_URL='postgres://user@db/shop' pgx
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/worker/sqlstore"
)

// An Order is a row of the table orders.
type Order struct {
	ID   uid.UID
	Item string
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) (err error) {
	pool, err := pgxpool.New(ctx, os.Getenv("UID_POSTGRES_URL"))
	if err != nil {
		return err
	}
	defer pool.Close()
	uids, err := cached.New(sqlstore.Lease(stdlib.OpenDBFromPool(pool), "orders"), cached.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, uids.Close()) }() // gives the worker ID back, while the pool is open

	// No GENERATED AS IDENTITY, no BIGSERIAL: a row without a key is an error.
	_, err = pool.Exec(ctx, `CREATE TABLE IF NOT EXISTS orders (id BIGINT PRIMARY KEY CHECK (id > 0), item TEXT NOT NULL)`)
	if err != nil {
		return err
	}
	first, err := uids.GetUIDContext(ctx)
	if err != nil {
		return err
	}
	if _, err := pool.Exec(ctx, "INSERT INTO orders (id, item) VALUES ($1, $2)", first, "lamp"); err != nil {
		return err
	}
	// COPY takes UIDs as they are. A batch takes its keys in one call.
	keys := make([]uid.UID, 1000)
	if _, err := uids.FillContext(ctx, keys); err != nil {
		return err
	}
	_, err = pool.CopyFrom(ctx, pgx.Identifier{"orders"}, []string{"id", "item"},
		pgx.CopyFromSlice(len(keys), func(i int) ([]any, error) { return []any{keys[i], "chair"}, nil }))
	if err != nil {
		return err
	}

	rows, err := pool.Query(ctx, "SELECT id, item FROM orders WHERE id >= $1 ORDER BY id", first)
	if err != nil {
		return err
	}
	orders, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Order])
	if err != nil {
		return err
	}
	for _, o := range orders {
		fmt.Println(o.ID, o.Item)
	}
	return nil
}
