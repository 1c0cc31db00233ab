// Pgx keys the rows of a PostgreSQL table with UIDs, by pgx's own interface. Its worker ID is leased
// through the same pool.
//
//	UID_POSTGRES_URL='postgres://user@db/shop' pgx
package main

import (
	"context"
	"fmt"
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
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, os.Getenv("UID_POSTGRES_URL"))
	check(err)
	defer pool.Close()
	uids, err := cached.New(sqlstore.Lease(stdlib.OpenDBFromPool(pool), "orders"), cached.Config{})
	check(err)
	defer func() { check(uids.Close()) }() // gives the worker ID back, while the pool is open

	// No GENERATED AS IDENTITY, no BIGSERIAL: a row without a key is an error.
	_, err = pool.Exec(ctx,
		`CREATE TABLE IF NOT EXISTS orders (id BIGINT PRIMARY KEY CHECK (id > 0), item TEXT NOT NULL)`)
	check(err)
	first, err := uids.GetUIDContext(ctx)
	check(err)
	_, err = pool.Exec(ctx, "INSERT INTO orders (id, item) VALUES ($1, $2)", first, "lamp")
	check(err)
	// COPY takes UIDs as they are. A batch takes its keys in one call.
	keys := make([]uid.UID, 1000)
	_, err = uids.FillContext(ctx, keys)
	check(err)
	_, err = pool.CopyFrom(ctx, pgx.Identifier{"orders"}, []string{"id", "item"},
		pgx.CopyFromSlice(len(keys), func(i int) ([]any, error) { return []any{keys[i], "chair"}, nil }))
	check(err)

	rows, err := pool.Query(ctx, "SELECT id, item FROM orders WHERE id >= $1 ORDER BY id", first)
	check(err)
	orders, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Order])
	check(err)
	for _, o := range orders {
		fmt.Println(o.ID, o.Item)
	}
}

func check(err error) {
	if err != nil {
		panic(err) // what is deferred runs
	}
}
