package sqlite

import (
	"context"

	"github.com/uidgen/uid/internal/scheme"
	"github.com/uidgen/uid/internal/scheme/tables"
)

// Package connect opens sqlite:PATH.
func init() {
	scheme.Register(scheme.Driver{Schemes: []string{"sqlite"}, Form: "sqlite:PATH",
		Params: []string{}, SQL: true, Open: openURL})
}

func openURL(ctx context.Context, u *scheme.URL, o scheme.Options) (*scheme.Store, error) {
	db, err := Open(ctx, u.Path)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return tables.Of(db.DB, o)
}
