package sqlstore

import (
	"context"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/fitness"
)

// connected calls do with a connection. A MySQL session without autocommit may be in a transaction, and a read begins
// one: swap ends it. A call that only lists rows leaves it open; its rows may be as old as the transaction.
func (t *tables) connected(ctx context.Context, do func(*sqlx.Conn) error) error {
	conn, err := t.db.Connx(ctx)
	if err != nil {
		return database.Failed("connect", err)
	}
	defer conn.Close()
	return do(conn)
}

// create creates a missing table, by the schema of its default name.
func (t *tables) create(ctx context.Context, conn *sqlx.Conn, defaultName, name string) error {
	made, err := t.dialect.CreateTable(ctx, conn, defaultName, name)
	if made {
		t.log.InfoContext(ctx, "the table was missing and has been made", "table", name)
	}
	return err
}

// inspect returns [uid.ErrConfig] when a table cannot hold what is written to it, and else how the database can lose a
// commit: in a crash and, if takeovers count, when another server takes over.
func (t *tables) inspect(ctx context.Context, takeovers bool, want ...fitness.Table) (lossy []string, err error) {
	err = t.connected(ctx, func(conn *sqlx.Conn) error {
		lossy, err = fitness.Losses(ctx, conn, t.dialect, takeovers, t.leads, want...)
		return err
	})
	return lossy, err
}
