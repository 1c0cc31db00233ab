package fitness

import (
	"context"
	"embed"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/database"
)

// The questions to the databases, one file for each and its dialect: NAME.DIALECT.sql.
//
//go:embed sql/*.sql
var questions embed.FS

// query returns a question in the dialect, with the old strings replaced by the new ones.
func (e *exam) query(name string, oldnew ...string) string {
	text, err := questions.ReadFile("sql/" + name + "." + string(e.dialect) + ".sql")
	if err != nil {
		panic(err) // a bug of ours
	}
	return strings.NewReplacer(oldnew...).Replace(string(text))
}

// settings are the variables or the status of a server, by name in lower case.
type settings map[string]string

// on reports whether a switch is on, under any of the names that it has had.
func (s settings) on(names ...string) bool {
	v := strings.ToUpper(s.first(names...))
	return v == "ON" || v == "1"
}

// first returns the value of the first name that the server knows.
func (s settings) first(names ...string) string {
	for _, name := range names {
		if v, ok := s[name]; ok {
			return v
		}
	}
	return ""
}

// readSettings reads names and values, as SHOW VARIABLES and SHOW STATUS list them.
func readSettings(ctx context.Context, conn *sqlx.Conn, query string) (settings, error) {
	type setting struct{ name, value string }
	all, err := database.SelectRows(ctx, conn, func(s *setting) []any { return []any{&s.name, &s.value} }, query)
	if err != nil {
		return nil, database.Failed("read the server's settings", err)
	}
	s := settings{}
	for _, is := range all {
		s[strings.ToLower(is.name)] = is.value
	}
	return s, nil
}
