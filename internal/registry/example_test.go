package registry_test

import (
	"context"
	"fmt"
	"log"
	"os"

	_ "github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/worker/sqlstore"
)

// Who has which worker ID.
func Example() {
	ctx := context.Background()
	db, err := sqlx.Open("mysql", os.Getenv("UID_MYSQL_DSN"))
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	tables, err := sqlstore.New(db, sqlstore.Config{})
	if err != nil {
		log.Fatal(err)
	}
	r, err := registry.New(tables.Registry(), registry.Config{})
	if err != nil {
		log.Fatal(err)
	}
	o, err := r.Overview(ctx, 0)
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range o.Leases {
		fmt.Printf("%s/%d: %s, of %s until %s\n", l.Namespace, l.WorkerID, l.State, l.Holder, l.Until)
	}
}
