package sqlstore

import (
	"context"
	"fmt"
	"slices"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
)

// latest is the number of newest rows in which a start looks for a floor. Each start that finds one writes it into its
// own row: only that many starts of programs without floors (Java's) within a few minutes could hide it.
const latest = 1000

// keep writes a row's floor, the time at which its process's UIDs begin, into the column MODIFIED, in UTC and whole
// seconds; TYPE is then 3 instead of 1, or 4 instead of 2. It returns [uid.ErrConfig] when the column does not hold
// such a time.
func (s *numberTable) keep(ctx context.Context, tx session, id, begin int64) error {
	res, err := s.exec(ctx, tx, s.keepFloor(), begin, id)
	if err := changedOne("the floor", id, res, err); err != nil {
		return err
	}
	query, args := bind(s.dialect, s.keptFloor(), id)
	kept, err := database.SelectRows(ctx, tx, func(at *int64) []any { return []any{at} }, query, args...)
	if err != nil {
		return database.Failed("read the floor back", err)
	}
	if !slices.Equal(kept, []int64{begin}) {
		return fmt.Errorf("%w: MODIFIED of %s keeps the time %d as %d; it has to be a TIMESTAMP without a "+
			"time zone", uid.ErrConfig, s.Name(), begin, kept)
	}
	return nil
}

// floors are expressions of the dialects: MODIFIED and the current time, in seconds since 1970, and a time to write.
var floors = map[database.Dialect]struct{ seconds, now, at string }{
	database.MySQL: {"CAST(UNIX_TIMESTAMP(MODIFIED) AS SIGNED)", "UNIX_TIMESTAMP()", "FROM_UNIXTIME(?)"},
	database.Postgres: {"CAST(EXTRACT(EPOCH FROM MODIFIED AT TIME ZONE 'UTC') AS BIGINT)",
		"EXTRACT(EPOCH FROM CLOCK_TIMESTAMP())", "TO_TIMESTAMP(?) AT TIME ZONE 'UTC'"},
	database.SQLite: {"CAST(strftime('%s', MODIFIED) AS INTEGER)", "CAST(strftime('%s', 'now') AS INTEGER)",
		"datetime(?, 'unixepoch')"},
}

// latestFloor returns the query for PORT of the row with an ID, the condition same, and the latest floor of this row
// and the rows before it, in seconds since 1970; 0 for none, and for one that the database's clock has reached.
// MODIFIED of a row without a floor is in the session's time zone, and does not count.
func (s *numberTable) latestFloor(id int64, same piece) piece {
	f := floors[s.dialect]
	return concat(sqlOf(inUTC(s.dialect, "SELECT")+" (SELECT PORT FROM `"+s.nodes+"` WHERE ID = ?), ", id), same,
		sqlOf(", COALESCE(MAX("+f.seconds+"), 0) FROM (SELECT MODIFIED, TYPE FROM `"+s.nodes+
			"` WHERE ID <= ? ORDER BY ID DESC LIMIT ?) AS newest WHERE TYPE IN (3, 4) AND "+f.seconds+" > "+f.now,
			id, int64(latest)))
}

func (s *numberTable) keepFloor() string {
	return inUTC(s.dialect, "UPDATE") + " `" + s.nodes + "` SET MODIFIED = " + floors[s.dialect].at +
		", TYPE = TYPE + 2 WHERE ID = ? AND TYPE IN (1, 2)"
}

func (s *numberTable) keptFloor() string {
	return inUTC(s.dialect, "SELECT") + " " + floors[s.dialect].seconds + " FROM `" + s.nodes + "` WHERE ID = ?"
}
