package fitness

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/doctor"
)

// A Table is one that is written to.
type Table struct {
	Name    string
	Columns []database.Column
}

// Losses lists what this account may see of how the database can lose a commit that it has acknowledged: in a crash
// and, if takeovers count, when another server takes over, which lacks the newest commits. It returns an error
// that wraps [uid.ErrConfig] when a table cannot hold what is written to it, or a commit does not reach
// the other nodes of the cluster at all, and a transient one when a server that leads follows another one.
func Losses(ctx context.Context, conn *sqlx.Conn, dialect database.Dialect, takeovers, leads bool,
	tables ...Table) (all []string, err error) {
	e := &exam{conn: conn, dialect: dialect, Config: doctor.Config{Never: true}, takeovers: takeovers, leads: leads}
	for _, t := range tables {
		if _, err := e.table(ctx, "table "+t.Name, t); err != nil {
			return nil, err
		}
	}
	err = e.server(ctx)
	for _, f := range e.findings {
		switch f.Level {
		case refused:
			return nil, fmt.Errorf("%w: %s: %s. %s %s", uid.ErrConfig, f.What, f.Value, f.Why, f.Do)
		case crash, damage:
			all = append(all, f.What+" is "+f.Value)
		case takeover:
			if why, _, _ := strings.Cut(f.Why, lossWhy); takeovers {
				all = append(all, why)
			}
		}
	}
	if err != nil && database.KindOf(err) == database.Final && !errors.Is(err, uid.ErrConfig) {
		return append(all, fmt.Sprintf("its settings cannot be told: %v", err)), nil
	}
	return all, err
}
