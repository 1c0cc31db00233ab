// Ent keys the rows of ent's tables with UIDs: the mixin of package uident makes their keys
// uid.UID, and its hook sets them. The worker ID is leased from the same database.
//
//	UID_MYSQL_DSN='user@tcp(db:3306)/shop?parseTime=true' ent
package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	_ "github.com/go-sql-driver/mysql"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/orm/uident"
	"github.com/uidgen/uid/recipes/ent/ent"
	"github.com/uidgen/uid/recipes/ent/ent/order"
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

	client := ent.NewClient(ent.Driver(entsql.OpenDB(dialect.MySQL, db)))
	client.Use(uident.Hook(uids))
	check(client.Schema.Create(ctx))
	lamp, err := client.Order.Create().SetItem("lamp").Save(ctx)
	check(err)
	check(client.Parcel.Create().SetOrder(lamp).Exec(ctx))
	items := []string{"chair", "table"}
	err = client.Order.MapCreateBulk(items, func(c *ent.OrderCreate, i int) { c.SetItem(items[i]) }).Exec(ctx)
	check(err)
	all, err := client.Order.Query().Order(order.ByID()).All(ctx)
	check(err)
	for _, o := range all {
		fmt.Println(o.ID, o.Item)
	}
}

func check(err error) {
	if err != nil {
		panic(err) // what is deferred runs
	}
}
