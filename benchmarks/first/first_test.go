// Package first measures what a first program takes, with each way to get IDs that the documents show, and with other
// libraries. It takes the programs out of the documents.
package first

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/report"
)

const examples = "../../docs/examples.md"

// What a program of the documents has at most.
const mostLines, mostConstructors = 25, 3

func TestMain(m *testing.M) { cluster.Main(m) }

// Each program of the documents is short, and prints what they say at its first run, on an empty database, but for the
// numbers. With FIRST=1 this measures all, and writes the table.
func TestFirstPrograms(t *testing.T) {
	rounds, full := 1, os.Getenv("FIRST") != ""
	if full {
		rounds = 5
	}
	mysql := cluster.Shared(t)
	postgres, err := cluster.StartPostgres("first")
	cluster.For(t, postgres, err)
	all := slices.Concat(
		inDocument(t, "../../README.md", "SQLite, a new ID each", "MariaDB, a lease"),
		inDocument(t, examples, "a state file", "a URL, here of SQLite", "sealed, a fixed ID"),
	)
	all = append(all,
		variant(t, all[0], "a fixed ID", `worker/sqlite`, `worker`,
			`sqlite.Disposable("workers.db")`, `worker.Static(1)`),
		variant(t, all[1], "dense numbers, MariaDB", `cached"`, `segment"`,
			`cached.New(sqlstore.Lease(db, "orders"), cached.Config{})`,
			`sqlstore.Segment(db, "invoice", segment.Config{Create: true})`),
		variant(t, all[1], "PostgreSQL, a lease", `_ "github.com/go-sql-driver/mysql"`,
			`_ "github.com/jackc/pgx/v5/stdlib"`,
			`sql.Open("mysql", os.Getenv("UID_MYSQL_DSN"))`, `sql.Open("pgx", os.Getenv("UID_POSTGRES_URL"))`))
	for _, p := range all {
		p.build(t)
		require.LessOrEqual(t, p.lines, mostLines, p.source)
		require.LessOrEqual(t, p.constructors, mostConstructors, p.source)
	}
	for _, p := range ofPeers() {
		p.build(t)
		all = append(all, p)
	}
	for range rounds {
		for _, p := range all {
			dir := t.TempDir()
			env := []string{"UID_STORE=sqlite:" + filepath.Join(dir, "workers.db"), "UID_WORKER_ID=7",
				"UID_SEAL_KEYS=1:" + strings.Repeat("4f", 32)}
			if strings.Contains(p.source, "UID_MYSQL_DSN") {
				env = append(env, "UID_MYSQL_DSN="+mysql.DSN(mysql.NewDatabase(t)))
			}
			if strings.Contains(p.source, "UID_POSTGRES_URL") {
				env = append(env, "UID_POSTGRES_URL="+postgres.NewDatabase(t))
			}
			p.first = append(p.first, p.run(t, dir, env))
			p.later = append(p.later, p.run(t, dir, env))
		}
	}
	shown := render(all, rounds)
	t.Log(shown)
	if full {
		require.NoError(t, report.Fill(examples, "first", shown))
	}
}

// variant returns a program with parts that examples.md replaces: each old one, and the new one.
func variant(t *testing.T, p *program, title string, parts ...string) *program {
	text, other := string(must(os.ReadFile(examples))), *p
	other.title = title
	for pair := range slices.Chunk(parts, 2) {
		require.Contains(t, text, strings.TrimSuffix(pair[1], `"`))
		require.Contains(t, other.source, pair[0])
		other.source = strings.Replace(other.source, pair[0], pair[1], 1)
	}
	return &other
}

func render(all []*program, rounds int) string {
	shown := report.Table{Right: []int{2, 3, 4, 5, 6},
		Header: table.Row{"", "lines", "constructors", "binary", "first run", "later runs"}}
	for i, p := range all {
		shown.Add(i, p.title, p.lines, p.constructors, fmt.Sprintf("%.1f MB", float64(p.bytes)/1e6),
			short(median(p.first)), short(median(p.later)))
	}
	text := fmt.Sprintf("%s\n\n%s/%s, %d processors, %s; medians of %d runs.",
		shown.Markdown(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), rounds)
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		text += fmt.Sprintf(" The machine's load was %s at the end.", strings.Fields(string(load))[0])
	}
	return text
}

func short(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%.1f ms", d.Seconds()*1e3)
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
