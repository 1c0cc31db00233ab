package sqlstore

import (
	"context"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
)

// latest is how many of the newest rows are looked at for a floor. Each start that finds one
// keeps it in its own row, so that only that many starts of programs which keep none (Java's)
// within a few minutes could hide it.
const latest = 1000

// Begin keeps the time before which no UID of the row's process begins, in the column MODIFIED, in
// UTC and whole seconds, rounded up; the column TYPE is then 3 instead of 1, or 4 instead of 2.
// Zero asks for none. It looks at the newest 1,000 rows for a later time that the database's clock
// has not reached, keeps that as well, and returns the latest one, or zero. It fails with [uid.ErrConfig] when the
// column does not keep such a time.
func (s *numberTable) Begin(ctx context.Context, id int64, at time.Time) (time.Time, error) {
	begin := int64(0)
	if !at.IsZero() {
		begin = at.Add(time.Second - 1).Unix()
	}
	err := s.connected(ctx, func(conn *sqlx.Conn) error {
		return database.Transact(ctx, conn, s.dialect, func(tx session) error {
			var found int64
			if err := tx.GetContext(ctx, &found, s.latestFloor(), id, latest); err != nil {
				return database.Failed("read the floors of the newest rows", err)
			}
			if begin = max(begin, found); begin == 0 {
				return nil
			}
			res, err := tx.ExecContext(ctx, s.keepFloor(), begin, id)
			if err := changedOne("the floor", id, res, err); err != nil {
				return err
			}
			var kept int64
			if err := tx.GetContext(ctx, &kept, s.keptFloor(), id); err != nil {
				return database.Failed("read the floor back", err)
			}
			if kept != begin {
				return fmt.Errorf("%w: MODIFIED of %s keeps the time %d as %d; it has to be a TIMESTAMP without a "+
					"time zone", uid.ErrConfig, s.Name(), begin, kept)
			}
			return nil
		})
	})
	if err != nil || begin == 0 {
		return time.Time{}, err
	}
	return time.Unix(begin, 0).UTC(), nil
}

// floors say in each dialect which time MODIFIED is, which time it is now, both in seconds since 1970, and how such a
// time is written.
var floors = map[database.Dialect]struct{ seconds, now, at string }{
	database.MySQL: {"CAST(UNIX_TIMESTAMP(MODIFIED) AS SIGNED)", "UNIX_TIMESTAMP()", "FROM_UNIXTIME(?)"},
	database.Postgres: {"CAST(EXTRACT(EPOCH FROM MODIFIED AT TIME ZONE 'UTC') AS BIGINT)",
		"EXTRACT(EPOCH FROM CLOCK_TIMESTAMP())", "TO_TIMESTAMP(?) AT TIME ZONE 'UTC'"},
	database.SQLite: {"CAST(strftime('%s', MODIFIED) AS INTEGER)", "CAST(strftime('%s', 'now') AS INTEGER)",
		"datetime(?, 'unixepoch')"},
}

// latestFloor returns the query for the latest floor, in seconds since 1970, that the database's
// clock has not reached; 0 for none. MODIFIED of a row without a floor is by the session's time
// zone, and does not count.
func (s *numberTable) latestFloor() string {
	f := floors[s.dialect]
	return s.dialect.SQL(s.dialect.InUTC("SELECT") + " COALESCE(MAX(" + f.seconds + "), 0)" +
		" FROM (SELECT MODIFIED, TYPE FROM `" + s.nodes + "` WHERE ID <= ? ORDER BY ID DESC LIMIT ?) AS newest" +
		" WHERE TYPE IN (3, 4) AND " + f.seconds + " > " + f.now)
}

func (s *numberTable) keepFloor() string {
	return s.dialect.SQL(s.dialect.InUTC("UPDATE") + " `" + s.nodes + "` SET MODIFIED = " + floors[s.dialect].at +
		", TYPE = TYPE + 2 WHERE ID = ? AND TYPE IN (1, 2)")
}

func (s *numberTable) keptFloor() string {
	return s.dialect.SQL(s.dialect.InUTC("SELECT") + " " + floors[s.dialect].seconds + " FROM `" + s.nodes +
		"` WHERE ID = ?")
}
