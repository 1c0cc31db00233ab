package sqlstore

import (
	"context"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/database"
)

// create creates a missing table, by the schema of its default name.
func create(ctx context.Context, conn *sqlx.Conn, dialect database.Dialect, defaultName, name string) error {
	statement, err := database.Schema(defaultName, name, dialect)
	if err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, statement); err != nil {
		return database.Failed("create the table", err)
	}
	return nil
}
