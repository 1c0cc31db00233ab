package engines

import (
	"context"
	"database/sql"
	"io"
	"net/url"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/test/engines/cluster"
)

// Postgres is PostgreSQL.
var Postgres = Engine{
	Name: "postgres",
	Start: func() (*Deployment, error) {
		p, err := cluster.StartPostgres("postgres")
		if err != nil {
			return nil, err
		}
		return One(p, p.Addr(0), p.URL, p.Version, p.Close), nil
	},
	Pair: func() (*cluster.Pair, error) { return cluster.StartPostgresPair("postgres pair") },
}

func openPostgres(_ context.Context, u *url.URL) (Store, io.Closer, error) {
	db, err := sql.Open("pgx", u.String())
	if err != nil {
		return Store{}, nil, err
	}
	return openTables(sqlx.NewDb(db, "pgx"))
}
