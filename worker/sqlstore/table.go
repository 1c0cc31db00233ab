package sqlstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
)

// connected runs do on a connection, outside of any transaction.
func (t *tables) connected(ctx context.Context, do func(*sqlx.Conn) error) error {
	conn, err := t.db.Connx(ctx)
	if err != nil {
		return database.Failed("connect", err)
	}
	defer conn.Close()
	return do(conn)
}

// create creates a missing table, by the schema of its default name.
func create(ctx context.Context, conn *sqlx.Conn, dialect database.Dialect, defaultName, name string) error {
	statement, err := database.Schema(defaultName, name, dialect)
	if err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, statement)
	if database.IsMadeMeanwhile(err) { // now it is there
		_, err = conn.ExecContext(ctx, statement)
	}
	if err != nil {
		return database.Failed("create the table", err)
	}
	return nil
}

// A wanted table is one with the columns that are written to.
type wanted struct {
	name    string
	columns []database.Column
}

// inspect returns [uid.ErrConfig] when a table cannot hold what is written to it, and else lists
// how the database can lose a commit.
func (t *tables) inspect(ctx context.Context, want ...wanted) (lossy []string, err error) {
	losses, err := t.losses(ctx, want...)
	for _, l := range losses {
		lossy = append(lossy, l.Why)
	}
	return lossy, err
}

func (t *tables) losses(ctx context.Context, want ...wanted) (losses []database.Loss, err error) {
	err = t.connected(ctx, func(conn *sqlx.Conn) error {
		losses = nil
		for _, w := range want {
			loss, err := t.fits(ctx, conn, w)
			if err != nil {
				return err
			}
			losses = append(losses, loss...)
		}
		all, err := database.Losses(ctx, conn, t.dialect)
		if err != nil && database.KindOf(err) == database.Final && !errors.Is(err, uid.ErrConfig) {
			all, err = []database.Loss{{Why: fmt.Sprintf("its settings cannot be told: %v", err)}}, nil
		}
		losses = append(losses, all...)
		return err
	})
	return losses, err
}

// fits returns [uid.ErrConfig] when a table cannot hold what is written to it, and else how it can
// lose that.
func (t *tables) fits(ctx context.Context, conn *sqlx.Conn, want wanted) ([]database.Loss, error) {
	shape, err := database.ReadShape(ctx, conn, t.dialect, want.name)
	if err != nil || len(shape.Columns) == 0 {
		return nil, err
	}
	v := database.JudgeTable("table", want.name, t.dialect, shape, want.columns)
	if v.Severity == database.Wrong {
		return nil, fmt.Errorf("%w: table %s: %s. %s %s", uid.ErrConfig, want.name, v.Value, v.Why, v.Do)
	}
	if v := database.JudgeKept("table", want.name, shape); v.Severity == database.Wrong {
		why := fmt.Sprintf("table %s is %s (%s)", want.name, v.Value, v.Do)
		return []database.Loss{{Why: why, By: database.Crash}}, nil
	}
	return nil, nil
}
