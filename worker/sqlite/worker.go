package sqlite

import (
	"context"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/lazy"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// Lease returns a worker like that of [sqlstore.Lease], in the file named path. A generator opens the file when it is
// made, as [Open] does, and its Close closes it. It returns the errors of both.
func Lease(path, namespace string, cfg ...lease.Config) uid.Worker {
	return on(path, func(db *sqlx.DB) uid.Worker { return sqlstore.Lease(db, namespace, cfg...) })
}

// Disposable returns a worker like that of [sqlstore.Disposable], in the file named path, which it opens and closes as
// [Lease] does.
func Disposable(path string, cfg ...disposable.Config) uid.Worker {
	return on(path, func(db *sqlx.DB) uid.Worker { return sqlstore.Disposable(db, cfg...) })
}

func on(path string, worker func(*sqlx.DB) uid.Worker) uid.Worker {
	return lazy.New(func(ctx context.Context) (uid.Worker, func() error, error) {
		db, err := Open(ctx, path)
		if err != nil {
			return nil, nil, err
		}
		return worker(db), db.Close, nil
	})
}
