// Gorm keys the rows of GORM's models with UIDs: the plugin of package uidgorm gives a UID to
// each row that has no key. Its worker ID is leased from the same database.
//
//	UID_MYSQL_DSN='user@tcp(db:3306)/shop' gorm
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
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
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) (err error) {
	db, err := gorm.Open(mysql.Open(os.Getenv("UID_MYSQL_DSN")), &gorm.Config{})
	if err != nil {
		return err
	}
	plain, err := db.DB()
	if err != nil {
		return err
	}
	uids, err := cached.New(sqlstore.Lease(plain, "orders"), cached.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, uids.Close()) }() // gives the worker ID back
	if err := db.Use(uidgorm.Plugin(uids)); err != nil {
		return err
	}
	db = db.WithContext(ctx)
	if err := db.AutoMigrate(&Order{}, &Parcel{}); err != nil {
		return err
	}

	own, err := uids.GetUIDContext(ctx)
	if err != nil {
		return err
	}
	orders := []Order{
		{Item: "lamp", Parcels: []Parcel{{}, {}}},
		{Item: "chair"},
		{Model: uidgorm.Model{ID: own}, Item: "table"}, // a key that the program draws is left as it is
	}
	if err := db.Create(&orders).Error; err != nil {
		return err
	}
	if err := db.Preload("Parcels").Order("id").Find(&orders).Error; err != nil {
		return err
	}
	for _, o := range orders {
		fmt.Println(o.ID, o.Item, len(o.Parcels), "parcels")
	}
	return nil
}
