package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"slices"
	"time"

	"github.com/bwmarrin/snowflake"
	_ "github.com/go-sql-driver/mysql"
	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	modernc "modernc.org/sqlite"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/benchmarks/subject"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlite"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A column is a way to make IDs, at its default settings.
type column struct {
	name, title string
	store       bool
	open        func(task) (subject.Source, error)
	typed       func(subject.Key) any // an ID in the library's own type
}

// shown are the columns of the tables.
var shown = []column{
	{"sqlite", "uid, a lease", true, func(t task) (subject.Source, error) {
		return ofCached(sqlite.Lease(t.file(), t.namespace()))
	}, ofUID},
	{"static", "uid, a fixed number", false, func(task) (subject.Source, error) {
		return ofCached(worker.Static(7))
	}, ofUID},
	{"snowflake", "bwmarrin", false, local, func(k subject.Key) any { return snowflake.ID(k[0]) }},
	{"sonyflake-2", "sonyflake v2", false, local, func(k subject.Key) any { return int64(k[0]) }},
	{"google-uuid-v7", "UUID v7 (google)", false, local, func(k subject.Key) any {
		return uuid.UUID(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, k[0]), k[1]))
	}},
}

var mariaDB = column{"mariadb", "", true, func(t task) (subject.Source, error) {
	db, err := sql.Open("mysql", t.DSN)
	if err != nil {
		return nil, err
	}
	return ofCached(sqlstore.Lease(db, t.namespace()))
}, ofUID}

var random = column{"random", "", false, func(task) (subject.Source, error) {
	g, err := cached.New(worker.Static(7), cached.Config{RandomStart: true})
	return subject.OfCached(g), err
}, nil}

// planted makes the same IDs after each start: the judge has to see that.
var planted = column{"planted", "", false, func(task) (subject.Source, error) { return new(counter), nil }, nil}

type counter struct{ n uint64 }

func (c *counter) Draw(n int) error { c.n += uint64(n); return nil }
func (c *counter) Keys(dst []subject.Key) error {
	for i := range dst {
		c.n++
		dst[i][0] = c.n
	}
	return nil
}

func columnOf(name string) column {
	all := append(slices.Clone(shown), mariaDB, random, planted)
	return all[slices.IndexFunc(all, func(c column) bool { return c.name == name })]
}

// local opens a library as the other benchmarks do, under the same worker ID each time.
func local(t task) (subject.Source, error) {
	all := subject.Local()
	return all[slices.IndexFunc(all, func(s subject.Subject) bool { return s.Name == t.Column })].Open()
}

func ofCached(w uid.Worker) (subject.Source, error) {
	g, err := cached.New(w, cached.Config{})
	if err != nil {
		return nil, err
	}
	return subject.OfCached(g), nil
}

func ofUID(k subject.Key) any { return uid.UID(k[0]) }

// found makes the namespace of a task, as uid worker init does.
func found(t task) {
	ctx := context.Background()
	var db *sqlx.DB
	switch t.Column {
	case "sqlite":
		db = must(sqlite.Open(ctx, t.file()))
	case "mariadb":
		db = must(sqlx.Open("mysql", t.DSN))
	default:
		return
	}
	defer db.Close()
	r := must(registry.New(must(sqlstore.New(db, sqlstore.Config{})).Registry(), registry.Config{}))
	check(r.Init(ctx, t.namespace(), lease.Founding{Layout: bits.Default()}))
}

// SQLite asks the machine for the time, not package time. Its clock has to be off as the process's is.
func init() {
	modernc.MustRegisterScalarFunction("julianday", 1,
		func(*modernc.FunctionContext, []driver.Value) (driver.Value, error) {
			return 2440587.5 + float64(time.Now().UnixMicro())/(24*3600*1e6), nil
		})
}

// locked locks a task's file, as another program may, and returns what unlocks it.
func locked(t task) (unlock func()) {
	db := must(sql.Open("sqlite", t.file()))
	db.SetMaxOpenConns(1)
	must(db.Exec("PRAGMA busy_timeout=10000"))
	must(db.Exec("BEGIN EXCLUSIVE"))
	return func() { check(db.Close()) }
}
