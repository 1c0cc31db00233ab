package fitness

import (
	"context"
	"strconv"

	"github.com/uidgen/uid/internal/doctor"
)

func (e *exam) postgres(ctx context.Context) error {
	p, err := e.postgresServer(ctx)
	if err != nil {
		return err
	}
	const idle = "idle_in_transaction_session_timeout"
	e.add(doctor.Fine("server", "PostgreSQL "+p.vars["server_version"]), p.isolation(), p.writable(), p.commit(),
		p.replication(), p.wal(), doctor.Fine(idle, p.vars[idle]+"; workers set their own"),
		p.durable("fsync"), p.durable("full_page_writes"))
	if !e.hasLease {
		return nil
	}
	has, err := readSettings(ctx, e.conn, e.query("renewals", "{leases}", e.Leases))
	if err != nil {
		return e.noteUnknown("indexes and fillfactor", err)
	}
	e.add(indexes(has), fillFactor(has, e.Leases))
	return nil
}

func (p postgres) isolation() doctor.Finding {
	level := p.vars["default_transaction_isolation"]
	return doctor.Fine("isolation", level).
		But(level == "serializable", note, level,
			"Transactions that touch the same rows fail more often, and are tried again.", "read committed is enough.")
}

func (p postgres) writable() doctor.Finding {
	const primary = "Connect workers to the primary (target_session_attrs=read-write finds it), " +
		"with sessions that may write."
	return doctor.Fine("writable", "yes").
		But(p.vars["standby"] == "true", bad, "a standby", "What workers need is on the primary.", primary).
		But(p.vars.on("default_transaction_read_only"), bad, "default_transaction_read_only is on",
			"Workers cannot write here.", primary)
}

// wal judges what a backup lacks.
func (p postgres) wal() doctor.Finding {
	level := p.vars["wal_level"]
	return doctor.Fine("wal_level", level).
		But(level == "minimal", note, level, "The write-ahead log is neither archived nor sent to a standby: "+
			"a backup that is restored lacks all that was committed since"+lossWhy,
			"After a restore, make the namespaces anew with a rest, "+
				"and set the counter above the largest ID that was ever given.")
}

// indexes judges which of them a renewal writes.
func indexes(has settings) doctor.Finding {
	return doctor.Fine("indexes", "the primary key only").
		But(has["indexes"] != "", warn, "also of "+has["indexes"], "With an index of a column that a renewal changes, "+
			"every renewal writes the index as well (it is no HOT update), and the table grows until it is vacuumed.",
			"Drop it: workers need the primary key only.")
}

// fillFactor judges whether renewals find room.
func fillFactor(has settings, table string) doctor.Finding {
	fill, _ := strconv.Atoi(has["fillfactor"])
	return doctor.Fine("fillfactor", has["fillfactor"]).
		But(fill > 90, note, has["fillfactor"],
			"A page has no room for the next version of its rows, so that renewals write the index, too.",
			"ALTER TABLE "+table+" SET (fillfactor = 80)")
}
