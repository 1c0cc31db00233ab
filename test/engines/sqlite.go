package engines

import (
	"context"
	"net/url"

	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/sqlite"
)

// SQLite is a file, which has no server that could be killed.
var SQLite = Engine{Name: "sqlite", Start: startSQLite}

func startSQLite() (*Deployment, error) {
	s, err := cluster.New("sqlite", 0) // a folder
	if err != nil {
		return nil, err
	}
	path := s.Path("uid.db")
	return &Deployment{
		URL:   func(...string) string { return (&url.URL{Scheme: "sqlite", Path: path}).String() },
		Close: s.Close,
		Version: func() (version string, err error) {
			db, err := sqlite.Open(context.Background(), path)
			if err != nil {
				return "", err
			}
			defer db.Close()
			return version, db.Get(&version, "SELECT sqlite_version()")
		},
	}, nil
}
