package database

import (
	"context"
	"strings"

	"github.com/jmoiron/sqlx"
)

// Settings are the variables or the status of a server, by name in lower case.
type Settings map[string]string

// On reports whether a switch is on, under any of the names that it has had.
func (s Settings) On(names ...string) bool {
	v := strings.ToUpper(s.First(names...))
	return v == "ON" || v == "1"
}

// First returns the value of the first name that the server knows.
func (s Settings) First(names ...string) string {
	for _, name := range names {
		if v, ok := s[name]; ok {
			return v
		}
	}
	return ""
}

// ReadSettings reads names and values, as SHOW VARIABLES and SHOW STATUS list them.
func ReadSettings(ctx context.Context, conn *sqlx.Conn, query string) (Settings, error) {
	rows, err := conn.QueryxContext(ctx, query)
	if err != nil {
		return nil, Failed("read the server's settings", err)
	}
	defer rows.Close()
	s := Settings{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return nil, Failed("read the server's settings", err)
		}
		s[strings.ToLower(name)] = value
	}
	if err := rows.Err(); err != nil {
		return nil, Failed("read the server's settings", err)
	}
	return s, nil
}
