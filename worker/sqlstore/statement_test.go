package sqlstore

import (
	"database/sql"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/storage"
)

var update = flag.Bool("update", false, "write testdata/statements anew")

// Each statement that writes is in testdata/statements, as it can be pasted into a client: a review sees each change.
func TestStatements(t *testing.T) {
	random := regexp.MustCompile(`'([A-Z2-7]{26}|[0-9a-f]{52})'`) // a text, and its digits
	for name, d := range map[string]database.Dialect{
		"mysql": database.MySQL, "postgres": database.Postgres, "sqlite": database.SQLite,
	} {
		t.Run(name, func(t *testing.T) {
			var all strings.Builder
			show := func(what string, a attempt) {
				fmt.Fprintf(&all, "-- %s\n", what)
				for _, w := range a.writes {
					text, args := bind(d, w.text, w.args...)
					for _, arg := range args { // of SQLite, which is given them
						if s, is := arg.(string); is {
							arg = "'" + s + "'"
						}
						text = strings.Replace(text, "?", fmt.Sprint(arg), 1)
					}
					require.NotContains(t, text, "?")
					fmt.Fprintf(&all, "%s; -- %d\n", random.ReplaceAllString(text, "'RANDOM'"), w.rows)
				}
			}
			l := leaseTable{tables: tables{dialect: d, leases: "uid_lease"}, namespace: "orders"}
			control := leaseRow{WorkerID: controlID, Nonce: "N0", High: 5, Layout: "28s/22/13",
				Holder: "all worker IDs"}
			row := leaseRow{WorkerID: 7, Nonce: "N1", High: 8, Until: 9, Layout: "28s/22/13", Holder: "h", Renewed: 3}
			taken, given := row, control
			taken.Nonce, taken.High, given.High = "N2", 10, 6
			s := snapshot{control: &control}
			show("the namespace is made", l.replace(s, nil, control))
			show("a row changes", l.replace(s, &row, taken))
			show("a row changes, if the namespace is as it was", l.replaceBoth(s, control, &row, taken))
			show("a row and the namespace change", l.replaceBoth(s, given, &row, taken))
			show("rows are made", l.addRows(s, given, []leaseRow{row, {WorkerID: 8, High: -1}}))

			tags := segmentTable{tables: tables{dialect: d, segments: "leaf_alloc", takers: "uid_segment_takers"}}
			was := storage.Segment{Tag: "orders", Next: 10, Step: 5, Description: "d"}
			is := was
			is.Next, is.Description = 15, "e"
			text := func(s string) sql.NullString { return sql.NullString{String: s, Valid: true} }
			found := tagRow{tag: text("orders"), description: text("d")}
			tag := func(seen tagSnapshot) attempt {
				seen.tag = "orders"
				return tags.attempt(tagWrite{seen: seen, row: is, nonce: "N1", takers: "T1"})
			}
			show("a tag is made", tag(tagSnapshot{row: storage.Segment{Fresh: true}}))
			show("a tag of Leaf changes", tag(tagSnapshot{row: was, found: found}))
			found.nonce, found.takers = text("N0"), text("T0")
			show("a tag changes", tag(tagSnapshot{row: was, found: found}))

			file := "testdata/statements/" + name + ".sql"
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(all.String()), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(want), all.String())
		})
	}
}
