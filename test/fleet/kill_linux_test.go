package fleet

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/crew"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/sqlite"
)

// blindToo runs a test with reservations, where it is to find no duplicate, and without,
// where it is to find some.
func blindToo(t *testing.T, test func(t *testing.T, blind bool)) {
	t.Run("reserved", func(t *testing.T) { test(t, false) })
	t.Run("blind", func(t *testing.T) { test(t, true) })
}

// Processes that are killed while they draw UIDs, at any moment, leave their ID to
// others, and no tick of it comes twice.
func TestKill(t *testing.T) {
	for _, c := range []struct {
		name  string
		lease crew.Timing
		open  func(t *testing.T) (store, *sqlx.DB)
		few   int
		full  int
	}{
		{"MariaDB", crew.Brisk, openShared, 8, 150},
		{"MariaDB, durable", crew.Brisk.Durable(), openShared, 6, 75},
		{"SQLite, durable", crew.Brisk.Durable(), openSQLite, 4, 25},
	} {
		t.Run(c.name, func(t *testing.T) {
			blindToo(t, func(t *testing.T, blind bool) {
				s, db := c.open(t)
				f := newFleet(t, crew.Job{Store: s.text(), Lease: c.lease, Blind: blind})
				f.StartAll(5)
				kills, want := 0, times(c.few, c.full)
				for f.GoesOn(min(kills, 2*f.TakenOver()), want) {
					f.Idle(60 * time.Millisecond)
					f.Replace((*crew.Member).End)
					if kills++; kills%4 == 0 {
						f.Replace((*crew.Member).Close)
					}
				}
				f.AwaitAll()
				f.finish()
				if blind {
					if !c.lease.DurableStore { // where as much as is asked for is reserved
						require.NotEmpty(t, f.unreserved(db))
					}
					return
				}
				require.Empty(t, f.unreserved(db))
				have, most := len(rows(t, db)), f.mostAtOnce()
				t.Logf("%d kills; %d IDs in the table, of which %d can have been in use or in quarantine at once", kills, have, most)
				require.LessOrEqual(t, have, most)
			})
		})
	}
}

func openShared(t *testing.T) (store, *sqlx.DB) {
	s := cluster.Shared(t)
	return store{Addr: s.Addr(0)}, prepare(t, s)
}

func openSQLite(t *testing.T) (store, *sqlx.DB) {
	path := filepath.Join(t.TempDir(), "uid.db")
	db, err := sqlite.Open(context.Background(), path)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	found(t, db, 0)
	return store{SQLite: path}, db
}
