package cluster

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// An admin is the account of a SQL server that has all rights.
type admin struct {
	server string // its name, for errors
	open   func() (*sqlx.DB, error)
}

func (a admin) connected(do func(*sqlx.DB) error) error {
	db, err := a.open()
	if err != nil {
		return err
	}
	defer db.Close()
	return do(db)
}

func (a admin) ping(ctx context.Context) error {
	return a.connected(func(db *sqlx.DB) error { return db.PingContext(ctx) })
}

// Exec executes statements on one connection, as the account with all rights.
func (a admin) Exec(statements ...string) error {
	return a.connected(func(db *sqlx.DB) error {
		db.SetMaxOpenConns(1)
		for _, statement := range statements {
			if _, err := db.Exec(statement); err != nil {
				return fmt.Errorf("cluster: %s: %s: %w", a.server, statement, err)
			}
		}
		return nil
	})
}

func (a admin) ask(query string) (answer string, err error) {
	err = a.connected(func(db *sqlx.DB) error { return db.Get(&answer, query) })
	if err != nil {
		err = fmt.Errorf("cluster: %s: %s: %w", a.server, query, err)
	}
	return answer, err
}
