package main

import (
	"context"
	"fmt"
	"os"

	"github.com/uidgen/uid/worker/sqlite"
)

// openSQLite opens a file; unless create is set it has to exist.
func openSQLite(ctx context.Context, file string, create bool, s settings) (*workerStore, error) {
	if !create {
		if _, err := os.Stat(file); err != nil {
			return nil, fmt.Errorf("no store: %w", err)
		}
	}
	db, err := sqlite.Open(ctx, file)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return sqlStore(db, s)
}
