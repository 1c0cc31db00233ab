package stored_test

import (
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/state"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlite"
	"github.com/uidgen/uid/worker/sqlstore"
	"github.com/uidgen/uid/worker/statefile"
)

const newest = "v0.1.0"

var update = flag.Bool("update", false, "write the folder of the newest version")

var (
	layout = bits.Default().String()
	moment = time.Date(2026, 12, 1, 12, 0, 0, 123456000, time.UTC)
	high   = bits.Default().TickAt(moment) + 100
	quiet  = slog.New(slog.DiscardHandler)

	row = storage.Lease{WorkerID: 7, Nonce: "3QYNB6X2LFUTPQ5M", High: high, Until: moment, Layout: layout,
		Holder: "web-1/812", Acquired: moment, Renewed: moment}
	namespace = storage.Namespace{Layout: layout, IDs: lease.Range{Last: 1023}, Given: 7, Floor: 41, History: "h 1",
		Made: moment, Renewed: moment}
	tag = storage.Segment{Tag: "orders", Next: 1000, Step: 100, Description: "Aufträge", Updated: moment, Writes: 2,
		Floor: 1000, Takers: []storage.Taker{{Nonce: "UDCZOLP5T3XQ4MAB", Last: 999}}}
	record = state.Record{Kind: state.KindFixed, Host: "h", WorkerID: 7, Layout: layout, Granted: high,
		NextGranted: high + 9}

	key = stores.Key{Namespace: "shop eu", ID: 7}
)

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// texts are stored texts by their names: what is written, and how it is read. What UIDs and layouts look like has fixed
// values in the tests of form, opaque and bits.
var texts = map[string]struct {
	of      any
	written string
	read    func(text string) any
}{
	"lease": {row, must(storage.LeaseText(row, "w")), func(s string) any { return must(storage.ParseLease(7, s)) }},
	"namespace": {namespace, must(storage.NamespaceText(namespace, "w")),
		func(s string) any { return must(storage.ParseNamespace(s)) }},
	"tag": {tag, must(storage.MarshalSegment(tag, "w")),
		func(s string) any { return must(storage.UnmarshalSegment("orders", s)) }},
	"takers": {&tag, must(storage.MarshalTakers(tag)), func(s string) any {
		r := tag
		r.Writes, r.Floor, r.Takers = 0, 0, nil
		return must(&r, storage.UnmarshalTakers(s, &r))
	}},
	"key": {key, key.String(), func(s string) any { k, _ := stores.ParseKey(s); return k }},
}

// Each version's texts are read as what they were written of. The newest ones are what is written today.
func TestTexts(t *testing.T) {
	if *update {
		var lines strings.Builder
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			fmt.Fprintf(&lines, "%s = %s\n", name, texts[name].written)
		}
		require.NoError(t, os.WriteFile(filepath.Join(newest, "texts.txt"), []byte(lines.String()), 0o644))
	}
	for _, version := range versions(t) {
		file := must(os.ReadFile(filepath.Join(version, "texts.txt")))
		lines := strings.Split(strings.TrimSuffix(string(file), "\n"), "\n")
		require.Len(t, lines, len(texts))
		for _, line := range lines {
			name, text, _ := strings.Cut(line, " = ")
			require.Equal(t, texts[name].of, texts[name].read(text), "%s: %s", version, name)
			if version == newest {
				require.Equal(t, texts[name].written, text, name)
			}
		}
	}
}

func versions(t *testing.T) []string {
	dirs := must(filepath.Glob("v*"))
	require.Contains(t, dirs, newest)
	return dirs
}

// A worker goes on with each version's state file, above what that reserved.
func TestStateFile(t *testing.T) {
	if *update {
		path := filepath.Join(newest, "state")
		_ = os.Remove(path)
		f := must(state.Open(path))
		require.NoError(t, f.Save(record))
		require.NoError(t, f.Close())
	}
	for _, version := range versions(t) {
		file := must(os.ReadFile(filepath.Join(version, "state")))
		path := filepath.Join(t.TempDir(), "state")
		require.NoError(t, os.WriteFile(path, file, 0o600))
		now := func() time.Time { return moment }
		w := must(statefile.New(path, worker.FixedID(7), statefile.Config{Host: "h", Now: now, Logger: quiet}))
		terms := bits.Default().Terms()
		terms.Revoke = func() {}
		r, err := w.Acquire(t.Context(), terms)
		require.NoError(t, err, version)
		require.Equal(t, record.Granted+1, r.First)
		require.NoError(t, w.Release(t.Context(), r.First-1))
	}
}

// Workers and segments go on in each version's tables, above what these gave.
func TestTables(t *testing.T) {
	ctx := t.Context()
	open := func() (*sqlx.DB, *sqlstore.DB) {
		db := must(sqlite.Open(ctx, filepath.Join(t.TempDir(), "uid.db")))
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		return db, must(sqlstore.New(db, sqlstore.Config{}))
	}
	// use draws from all tables, and returns the first tick, the disposable ID and the number.
	use := func(tables *sqlstore.DB) [3]int64 {
		terms := bits.Default().Terms()
		terms.Revoke = func() {}
		leased := must(lease.New(must(tables.Leases("")), lease.Config{Logger: quiet}))
		r := must(leased.Acquire(ctx, terms))
		require.NoError(t, leased.Release(ctx, r.First))
		once := must(disposable.New(tables.Numbers(), disposable.Config{Host: "h", Logger: quiet}))
		d := must(once.Acquire(ctx, terms))
		numbers := must(segment.New(tables.Segments(), "orders", segment.Config{Create: true, Logger: quiet}))
		n := must(numbers.GetUIDContext(ctx))
		require.NoError(t, numbers.Close())
		return [3]int64{r.First, d.WorkerID, int64(n)}
	}
	if *update {
		db, tables := open()
		used := use(tables)
		text := fmt.Sprintf("-- %d\n%s", used, dump(t, db))
		require.NoError(t, os.WriteFile(filepath.Join(newest, "sqlite.sql"), []byte(text), 0o644))
	}
	for _, version := range versions(t) {
		file := must(os.ReadFile(filepath.Join(version, "sqlite.sql")))
		var was [3]int64
		_, err := fmt.Sscanf(string(file), "-- [%d %d %d]", &was[0], &was[1], &was[2])
		require.NoError(t, err)
		db, tables := open()
		db.MustExecContext(ctx, string(file))
		is := use(tables)
		require.Greater(t, is[0], was[0], version) // under whichever ID: the history is another one
		require.Greater(t, is[1], was[1])
		require.Equal(t, was[2]+1, is[2], "the rest was given back")
	}
}

// dump returns statements that make a SQLite database.
func dump(t *testing.T, db *sqlx.DB) string {
	var tables []struct{ Name, SQL string }
	const made = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name <> 'sqlite_sequence'"
	require.NoError(t, db.Select(&tables, made))
	var text strings.Builder
	for _, table := range tables {
		text.WriteString(table.SQL + ";\n")
		var columns, rows []string
		require.NoError(t, db.Select(&columns, "SELECT 'quote(' || name || ')' FROM pragma_table_info(?)", table.Name))
		if len(columns) == 0 {
			continue // an index
		}
		require.NoError(t, db.Select(&rows, "SELECT "+strings.Join(columns, "||', '||")+" FROM "+table.Name))
		for _, r := range rows {
			fmt.Fprintf(&text, "INSERT INTO %s VALUES (%s);\n", table.Name, r)
		}
	}
	return text.String()
}
