package fleet

import (
	"slices"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/proof/kit"
	"github.com/uidgen/uid/internal/testserver"
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
		lease timing
	}{{"", brisk}, {"durable store", brisk.durable()}} {
		t.Run(c.name, func(t *testing.T) {
			server := testserver.New(t, testserver.Config{Durable: true})
			blindToo(t, func(t *testing.T, blind bool) {
				db := prepare(t, server)
				f := newFleet(t, job{Store: store{Addr: server.Addr()}, Lease: c.lease, Blind: blind})
				f.startAll(6)
				rounds := 0
				for ; f.goesOn(rounds, times(3, 30)); rounds++ {
					f.idle(100 * time.Millisecond)
					f.replace([]func(*member){(*member).kill, (*member).close}[rounds%2])
					f.idle(150 * time.Millisecond)
					before := newest(rows(t, db))
					server.Kill(t)
					f.idle(50 * time.Millisecond)
					server.Start(t)
					await(t, "the leases to be renewed", func() bool { return renewed(t, db, before) > 0 })
				}
				f.awaitAll()
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
		pair := testserver.NewPair(t, testserver.Config{})
		through := kit.NewProxy(t, pair.Primary.Addr())
		prepare(t, pair.Primary)
		f := newFleet(t, job{Store: store{Addr: through.Addr()}, Lease: brisk, Blind: blind})
		f.startAll(4)
		rounds := 0
		for ; f.goesOn(rounds, times(1, 10)); rounds++ {
			if rounds > 0 {
				require.NoError(t, pair.Rejoin())
			}
			require.NoError(t, pair.CatchUp())
			require.NoError(t, pair.Pause())
			old := pair.Primary.Open(t, canary)
			had := newest(rows(t, old))
			f.startAll(2)
			await(t, "all to renew their leases", func() bool { return renewed(t, old, had) >= len(f.living()) })
			require.NoError(t, pair.Failover())
			db := pair.Primary.Open(t, canary)
			require.LessOrEqual(t, newest(rows(t, db)), had, "the new primary has none of it")
			through.Retarget(pair.Primary.Addr())
			f.startAll(2)
			f.awaitAll()
			await(t, "all to have a lease there", func() bool { return renewed(t, db, had) >= len(f.living()) })
			for _, p := range f.living()[:4] {
				p.kill()
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
				f := newFleet(t, job{Store: s, Lease: brisk, Blind: blind})
				f.startAll(4)
				rounds := 0
				for ; f.goesOn(rounds, times(2, 10)); rounds++ {
					do(c.before)
					had := newest(rows(t, db))
					f.startAll(2)
					await(t, "all to renew their leases", func() bool { return renewed(t, db, had) >= len(f.living()) })
					do(c.after)
					found(t, db, 2*brisk.TTL)
					f.startAll(2)
					f.awaitAll()
					for _, p := range f.living()[:4] {
						p.kill()
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
		lease timing
	}{{"", brisk}, {"durable store", brisk.durable()}} {
		t.Run(c.name, func(t *testing.T) {
			blindToo(t, func(t *testing.T, blind bool) {
				s, db := openShared(t)
				through := kit.NewProxy(t, s.Addr)
				f := newFleet(t, job{Store: store{Addr: through.Addr()}, Lease: c.lease, Blind: blind})
				f.startAll(5)
				commits := 0
				for ; f.goesOn(commits, times(15, 50)); commits++ {
					switch commits % 5 {
					case 0, 2:
						through.SwallowReply("COMMIT")
					case 1, 3:
						through.SwallowRequest("COMMIT")
					case 4:
						through.Stall("COMMIT") // the reply never comes, and nobody is told
					}
					if commits%3 == 0 {
						f.replace([]func(*member){(*member).kill, (*member).close}[commits%2])
					}
					await(t, "a commit", func() bool { return through.Swallowed() > commits })
				}
				f.awaitAll()
				f.finish()
				t.Logf("%d lost commits", commits)
				if !blind {
					require.Empty(t, f.unreserved(db))
				}
			})
		})
	}
}

// A server that leaves gaps between generated keys leaves none between worker IDs.
func TestAutoIncrement(t *testing.T) {
	server := testserver.New(t, testserver.Config{Args: []string{"--auto-increment-increment=7", "--auto-increment-offset=5"}})
	blindToo(t, func(t *testing.T, blind bool) {
		db := prepare(t, server)
		f := newFleet(t, job{Store: store{Addr: server.Addr()}, Lease: brisk, Blind: blind})
		f.startAll(5)
		var ids []int64
		for _, p := range f.all {
			ids = append(ids, p.id())
		}
		slices.Sort(ids)
		require.Equal(t, []int64{0, 1, 2, 3, 4}, ids)
		for f.goesOn(f.takenOver(), 3) {
			f.idle(100 * time.Millisecond)
			f.replace((*member).kill)
		}
		f.awaitAll()
		f.finish()
		if !blind {
			require.Empty(t, f.unreserved(db))
			require.LessOrEqual(t, len(rows(t, db)), f.mostAtOnce())
		}
	})
}
