package main

import (
	"context"
	"fmt"
	"os"

	"github.com/uidgen/uid/worker/sqlite"
)

// openSQLite opens a file; unless create is set it has to exist. It tells of a file that it makes.
func openSQLite(ctx context.Context, file string, create bool, s settings) (*workerStore, error) {
	_, missing := os.Stat(file)
	if !create && missing != nil {
		return nil, fmt.Errorf("no store: %w", missing)
	}
	db, err := sqlite.Open(ctx, file)
	if _, still := os.Stat(file); missing != nil && still == nil {
		s.note("worker IDs and numbers are kept in %s, a new file", file)
	}
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return sqlStore(db, s)
}
