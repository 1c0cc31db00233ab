package fleet

import (
	"slices"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/crew"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/kit"
)

// renewed returns how many leases were acquired or renewed after a row's newest change.
func renewed(t *testing.T, db *sqlx.DB, since int64) (n int) {
	t.Helper()
	for _, row := range rows(t, db) {
		if row.Renewed > since {
			n++
		}
	}
	return n
}

func newest(all []ledger) (at int64) {
	for _, row := range all {
		at = max(at, row.Renewed)
	}
	return at
}

// A server that crashes while processes acquire, extend and release.
func TestServerCrash(t *testing.T) {
	for _, c := range []struct {
		name  string
		lease crew.Timing
	}{{"", crew.Brisk}, {"durable store", crew.Brisk.Durable()}} {
		t.Run(c.name, func(t *testing.T) {
			server := cluster.NewMariaDB(t)
			blindToo(t, func(t *testing.T, blind bool) {
				db := prepare(t, server)
				f := newFleet(t, crew.Job{Store: store{Addr: server.Addr(0)}.text(), Lease: c.lease, Blind: blind})
				f.StartAll(6)
				rounds := 0
				for ; f.GoesOn(rounds, times(3, 30)); rounds++ {
					f.Idle(100 * time.Millisecond)
					f.Replace([]func(*crew.Member){(*crew.Member).End, (*crew.Member).Close}[rounds%2])
					f.Idle(150 * time.Millisecond)
					before := newest(rows(t, db))
					server.Kill()
					f.Idle(50 * time.Millisecond)
					require.NoError(t, server.Restart())
					crew.Await(t, "the leases to be renewed", func() bool { return renewed(t, db, before) > 0 })
				}
				f.AwaitAll()
				f.finish()
				t.Logf("%d crashes", rounds)
				if !blind {
					require.Empty(t, f.unreserved(db))
				}
			})
		})
	}
}

// A failover to a replica that lacks what the primary has acknowledged: IDs and ticks
// that were leased are unknown to the new primary, and leased again.
func TestFailover(t *testing.T) {
	blindToo(t, func(t *testing.T, blind bool) {
		pair := cluster.NewMariaDBPair(t)
		through := kit.NewProxy(t, pair.Addr())
		prepare(t, pair.MySQL())
		f := newFleet(t, crew.Job{Store: store{Addr: through.Addr()}.text(), Lease: crew.Brisk, Blind: blind})
		f.StartAll(4)
		rounds := 0
		for ; f.GoesOn(rounds, times(1, 10)); rounds++ {
			if rounds > 0 {
				require.NoError(t, pair.Rejoin())
			}
			require.NoError(t, pair.CatchUp())
			pair.Lag(true)
			old := pair.MySQL().Open(t, canary)
			had := newest(rows(t, old))
			f.StartAll(2)
			crew.Await(t, "all to renew their leases", func() bool { return renewed(t, old, had) >= len(f.Living()) })
			require.NoError(t, pair.Failover())
			db := pair.MySQL().Open(t, canary)
			require.LessOrEqual(t, newest(rows(t, db)), had, "the new primary has none of it")
			through.Retarget(pair.Addr())
			f.StartAll(2)
			f.AwaitAll()
			crew.Await(t, "all to have a lease there", func() bool { return renewed(t, db, had) >= len(f.Living()) })
			for _, p := range f.Living()[:4] {
				p.End()
			}
		}
		f.finish()
		t.Logf("%d failovers", rounds)
	})
}

// A table whose former content comes back, or that is emptied, under living owners.
func TestRestore(t *testing.T) {
	for name, c := range map[string]struct{ before, after []string }{
		"dump": {
			[]string{"CREATE OR REPLACE TABLE DUMP LIKE WORKER_LEASE", "INSERT INTO DUMP SELECT * FROM WORKER_LEASE"},
			[]string{"CREATE OR REPLACE TABLE WORKER_LEASE LIKE DUMP", "REPLACE INTO WORKER_LEASE SELECT * FROM DUMP"},
		},
		"dump, at once": {
			[]string{"CREATE OR REPLACE TABLE DUMP LIKE WORKER_LEASE", "INSERT INTO DUMP SELECT * FROM WORKER_LEASE"},
			[]string{"RENAME TABLE WORKER_LEASE TO OLD, DUMP TO WORKER_LEASE", "DROP TABLE OLD"},
		},
		"truncate": {nil, []string{"TRUNCATE TABLE WORKER_LEASE"}}, // after which somebody makes the namespace anew
	} {
		t.Run(name, func(t *testing.T) {
			blindToo(t, func(t *testing.T, blind bool) {
				s, db := openShared(t)
				do := func(statements []string) {
					for _, statement := range statements {
						_, err := db.Exec(statement)
						require.NoError(t, err, statement)
					}
				}
				f := newFleet(t, crew.Job{Store: s.text(), Lease: crew.Brisk, Blind: blind})
				f.StartAll(4)
				rounds := 0
				for ; f.GoesOn(rounds, times(2, 10)); rounds++ {
					do(c.before)
					had := newest(rows(t, db))
					f.StartAll(2)
					crew.Await(t, "all to renew their leases", func() bool { return renewed(t, db, had) >= len(f.Living()) })
					do(c.after)
					found(t, db, 2*crew.Brisk.TTL)
					f.StartAll(2)
					f.AwaitAll()
					for _, p := range f.Living()[:4] {
						p.End()
					}
				}
				f.finish()
				t.Logf("%d times", rounds)
			})
		})
	}
}

// A connection that breaks or hangs in the middle of a commit, before the server has heard
// of it or after.
func TestLostCommit(t *testing.T) {
	for _, c := range []struct {
		name  string
		lease crew.Timing
	}{{"", crew.Brisk}, {"durable store", crew.Brisk.Durable()}} {
		t.Run(c.name, func(t *testing.T) {
			blindToo(t, func(t *testing.T, blind bool) {
				s, db := openShared(t)
				through := kit.NewProxy(t, s.Addr)
				f := newFleet(t, crew.Job{Store: store{Addr: through.Addr()}.text(), Lease: c.lease, Blind: blind})
				f.StartAll(5)
				commits := 0
				for ; f.GoesOn(commits, times(15, 50)); commits++ {
					switch commits % 5 {
					case 0, 2:
						through.SwallowReply(cluster.LeaseWrite)
					case 1, 3:
						through.SwallowRequest(cluster.LeaseWrite)
					case 4:
						through.Stall(cluster.LeaseWrite) // the reply never comes, and nobody is told
					}
					if commits%3 == 0 {
						f.Replace([]func(*crew.Member){(*crew.Member).End, (*crew.Member).Close}[commits%2])
					}
					crew.Await(t, "a commit", func() bool { return through.Swallowed() > commits })
				}
				f.AwaitAll()
				f.finish()
				t.Logf("%d lost commits", commits)
				if !blind {
					require.Empty(t, f.unreserved(db))
				}
			})
		})
	}
}

// A server that leaves gaps between generated keys leaves none between worker IDs. A start that
// has lost an ID to another one at the same time may.
func TestAutoIncrement(t *testing.T) {
	server := cluster.NewMariaDB(t, "--auto-increment-increment=7", "--auto-increment-offset=5")
	blindToo(t, func(t *testing.T, blind bool) {
		db := prepare(t, server)
		f := newFleet(t, crew.Job{Store: store{Addr: server.Addr(0)}.text(), Lease: crew.Brisk, Blind: blind})
		f.StartAll(5)
		var ids []int64
		for _, p := range f.All {
			ids = append(ids, f.IDOf(p.Number))
		}
		slices.Sort(ids)
		require.Len(t, slices.Compact(ids), 5)
		require.Zero(t, ids[0])
		require.Less(t, ids[4], int64(5+7), "keys would go up to 33")
		for f.GoesOn(f.TakenOver(), 3) {
			f.Idle(100 * time.Millisecond)
			f.Replace((*crew.Member).End)
		}
		f.AwaitAll()
		f.finish()
		if !blind {
			require.Empty(t, f.unreserved(db))
			require.LessOrEqual(t, len(rows(t, db)), f.mostAtOnce())
		}
	})
}
