package database

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
)

func lossyPostgres(ctx context.Context, conn *sqlx.Conn) (why []string, err error) {
	vars, err := ReadSettings(ctx, conn, "SELECT name, setting FROM pg_settings WHERE name IN ('synchronous_commit', 'fsync', 'full_page_writes', 'synchronous_standby_names')")
	if err != nil {
		return nil, err
	}
	var asynchronous int
	// Without the right to see them (pg_monitor) the state of standbys is NULL, but not their number.
	err = conn.GetContext(ctx, &asynchronous, "SELECT COUNT(*) FROM pg_stat_replication WHERE COALESCE(sync_state, 'async') IN ('async', 'potential')")
	if err != nil {
		return nil, Failed("ask for standbys", err)
	}
	return LossyPostgres(vars, asynchronous), nil
}

// LossyPostgres lists by which of a server's settings it can lose a commit. asynchronous is how
// many standbys are connected that need not have it.
func LossyPostgres(vars Settings, asynchronous int) (why []string) {
	for _, name := range []string{"fsync", "full_page_writes"} {
		if v, known := vars[name]; known && v != "on" {
			why = append(why, name+" is "+v+", not on")
		}
	}
	switch v, known := vars["synchronous_commit"]; {
	case !known:
	case v == "off":
		why = append(why, "synchronous_commit is off")
	case v == "local" && vars["synchronous_standby_names"] != "":
		why = append(why, "synchronous_commit is local: no standby need have a commit")
	}
	if asynchronous > 0 && vars["synchronous_standby_names"] == "" {
		why = append(why, fmt.Sprintf("%d standbys are connected asynchronously: one of them lacks the newest commits when it takes over", asynchronous))
	}
	return why
}
