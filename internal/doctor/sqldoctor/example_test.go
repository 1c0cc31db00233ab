package sqldoctor_test

import (
	"context"
	"fmt"
	"log"
	"os"

	_ "github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/doctor/sqldoctor"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A program that refuses to start on a database that would make UIDs come twice.
func Example() {
	db, err := sqlx.Open("mysql", os.Getenv("UID_MYSQL_DSN"))
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	tables, err := sqlstore.New(db, sqlstore.Config{})
	if err != nil {
		log.Fatal(err)
	}
	examined, err := sqldoctor.New(tables)
	if err != nil {
		log.Fatal(err)
	}
	findings, err := doctor.Check(context.Background(), examined, doctor.Config{MaxWorkerID: bits.Default().MaxWorkerID()})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range findings {
		if f.Level == doctor.LevelError {
			log.Fatalf("%s is %s. %s %s", f.What, f.Value, f.Why, f.Do)
		}
	}
	fmt.Println("the database is as it should be")
}
