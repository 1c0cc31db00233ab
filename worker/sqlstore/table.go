package sqlstore

import (
	"context"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/fitness"
)

// connected runs do on a connection. A MySQL session without autocommit may be in a transaction, and a read begins one:
// swap sees to that. What only lists rows may be as old as the transaction, and leaves it open.
func (t *tables) connected(ctx context.Context, do func(*sqlx.Conn) error) error {
	conn, err := t.db.Connx(ctx)
	if err != nil {
		return database.Failed("connect", err)
	}
	defer conn.Close()
	return do(conn)
}

// create creates a missing table, by the schema of its default name. It refuses to where there is one whose name
// differs in case only: that one has the numbers that were given.
func (t *tables) create(ctx context.Context, conn *sqlx.Conn, defaultName, name string) error {
	alike, err := t.dialect.Alike(ctx, conn, name)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(alike, func(a database.Alike) bool { return a.Name == name || !a.Case }) {
		return nil // made meanwhile
	}
	if len(alike) > 0 {
		return fmt.Errorf("%w: there is no table %s, and none is made beside %s, whose name differs in case only: its "+
			"numbers would come again. Name that one (NodeTable, LeaseTable or SegmentTable of sqlstore.Config), "+
			"or rename it; if both are meant, make %[2]s by hand", uid.ErrConfig, name, alike[0].Name)
	}
	statement, err := database.Schema(defaultName, name, t.dialect)
	if err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, statement)
	if database.IsMadeMeanwhile(err) { // now it is there
		_, err = conn.ExecContext(ctx, statement)
	}
	if err == nil {
		t.log.InfoContext(ctx, "the table was missing and has been made", "table", name)
	}
	return database.Failed("create the table", err)
}

// inspect returns [uid.ErrConfig] when a table cannot hold what is written to it, and else how the database
// can lose a commit: in a crash and, if takeovers count, when another server takes over.
func (t *tables) inspect(ctx context.Context, takeovers bool, want ...fitness.Table) (lossy []string, err error) {
	err = t.connected(ctx, func(conn *sqlx.Conn) error {
		lossy, err = fitness.Losses(ctx, conn, t.dialect, takeovers, t.leads, want...)
		return err
	})
	return lossy, err
}
