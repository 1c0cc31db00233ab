package main

import (
	"cmp"
	"database/sql"
	"errors"
	"os"
	"time"

	_ "github.com/go-sql-driver/mysql"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/stores/kubernetes"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
	"github.com/uidgen/uid/worker/statefile"
)

// starting is how long the store may take to answer when the process starts. It is less than a pod
// may take to end, in case that it is told to before it has begun.
const starting = 10 * time.Second

// generator returns the generator that the environment asks for, once UIDs can be drawn.
func generator() (*cached.Generator, error) {
	w, err := own()
	if err != nil {
		return nil, err
	}
	return cached.New(w, cached.Config{})
}

// own returns the worker: an ID that nobody else has.
func own() (uid.Worker, error) {
	dsn, file := os.Getenv("UID_MYSQL_DSN"), os.Getenv("UID_STATE_FILE")
	switch {
	case dsn != "" && file == "":
		return leased(dsn)
	case dsn == "" && file != "":
		return statefile.New(file, worker.EnvID("UID_WORKER_ID"), statefile.Config{})
	case dsn == "":
		return kubernetes.Lease("orders", lease.Config{Timeout: starting}), nil
	}
	return nil, errors.New("set UID_MYSQL_DSN, or UID_STATE_FILE and UID_WORKER_ID, or none of them in a cluster")
}

func leased(dsn string) (uid.Worker, error) {
	db, err := sql.Open("mysql", dsn) // for as long as the process runs
	if err != nil {
		return nil, errors.New("UID_MYSQL_DSN is not a DSN") // the driver's error may quote it
	}
	return sqlstore.Lease(db, "orders", lease.Config{Timeout: starting}), nil
}

// setting returns an environment variable, or what stands for one that is empty.
func setting(name, standard string) string { return cmp.Or(os.Getenv(name), standard) }
