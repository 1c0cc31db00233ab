package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/uidgen/uid/worker/sqlite"
)

// file returns the path of the SQLite file in use, without links, which has to be there.
func (r *tables) file() (string, error) {
	place, err := r.store.choose(r.getenv)
	if err != nil {
		return "", err
	}
	if place.file == "" {
		return "", badInput("%s names a server: this command is for files", place.source)
	}
	path, err := filepath.EvalSymlinks(place.file)
	if err != nil {
		return "", fmt.Errorf("no store: %w", err)
	}
	return filepath.Abs(path)
}

// alone calls do while no other process can read or write the file, which holds all data then: the
// lock makes SQLite undo what a dead process left in a journal, and a write-ahead log is refused.
// (On Windows nobody can move or remove a file that is open: there the lock ends before do.)
func (r *tables) alone(ctx context.Context, path string, do func() error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(r.store.timeout))
	defer cancel()
	db, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "BEGIN EXCLUSIVE"); err != nil {
		return errors.Join(fmt.Errorf("somebody is using %s: %w", path, err), conn.Close())
	}
	end := func() error {
		// Not under ctx, and it wrote nothing: what it returns for a file that is gone does not matter.
		_, _ = conn.ExecContext(context.Background(), "ROLLBACK")
		return errors.Join(conn.Close(), db.Close())
	}
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		return errors.Join(fmt.Errorf("%s-wal holds a part of the data, as long as somebody uses the file", path), end())
	}
	if runtime.GOOS == "windows" {
		return errors.Join(end(), do())
	}
	return errors.Join(do(), end())
}

// usedFile returns what is in the file.
func (r *tables) usedFile(ctx context.Context) (u usage, err error) {
	err = r.open(ctx, func(ctx context.Context, s *workerStore) error {
		u, err = r.usage(ctx, s)
		return err
	})
	return u, err
}
