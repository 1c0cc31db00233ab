// Gorm keys the rows of GORM's models with UIDs: the plugin of package uidgorm gives a UID to
// each row that has no key. Its worker ID is leased from the same database.
//
//	UID_MYSQL_DSN='user@tcp(db:3306)/shop' gorm
package main

import (
	"context"
	"fmt"
	"os"

	"gorm.io/driver/mysql"
	"gorm.io/gorm"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/orm/uidgorm"
	"github.com/uidgen/uid/worker/sqlstore"
)

// An Order has parcels, which GORM creates with it.
type Order struct {
	uidgorm.Model
	Item    string
	Parcels []Parcel
}

// A Parcel belongs to an order.
type Parcel struct {
	uidgorm.Model
	OrderID uid.UID
}

func main() {
	ctx := context.Background()
	db, err := gorm.Open(mysql.Open(os.Getenv("UID_MYSQL_DSN")), &gorm.Config{})
	check(err)
	plain, err := db.DB()
	check(err)
	uids, err := cached.New(sqlstore.Lease(plain, "orders"), cached.Config{})
	check(err)
	defer func() { check(uids.Close()) }() // gives the worker ID back
	check(db.Use(uidgorm.Plugin(uids)))
	db = db.WithContext(ctx)
	check(db.AutoMigrate(&Order{}, &Parcel{}))

	own, err := uids.GetUIDContext(ctx)
	check(err)
	orders := []Order{
		{Item: "lamp", Parcels: []Parcel{{}, {}}},
		{Item: "chair"},
		{Model: uidgorm.Model{ID: own}, Item: "table"}, // a key that the program draws is left as it is
	}
	check(db.Create(&orders).Error)
	check(db.Preload("Parcels").Order("id").Find(&orders).Error)
	for _, o := range orders {
		fmt.Println(o.ID, o.Item, len(o.Parcels), "parcels")
	}
}

func check(err error) {
	if err != nil {
		panic(err) // what is deferred runs
	}
}
