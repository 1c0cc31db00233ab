package main

import (
	"context"
	"fmt"
	"os"

	"github.com/uidgen/uid/worker/sqlite"
)

// openSQLite opens a file; unless create is set it has to exist.
func openSQLite(ctx context.Context, file string, create bool, s settings) (*workerStore, error) {
	_, missing := os.Stat(file)
	if !create && missing != nil {
		return nil, fmt.Errorf("no store: %w", missing)
	}
	db, err := sqlite.Open(ctx, file)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	w, err := sqlStore(db, s)
	if err == nil && missing != nil {
		w.made = file
	}
	return w, err
}
