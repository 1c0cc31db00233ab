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
	e.add(p.settings()...)
	e.add(p.losses()...)
	if !e.hasLease {
		return nil
	}
	has, err := readSettings(ctx, e.conn, e.query("renewals", "{leases}", e.Leases))
	if err != nil {
		return e.unknown("indexes and fillfactor", err)
	}
	e.add(renewals(has, e.Leases)...)
	return nil
}

// settings judges what loses nothing by itself.
func (p postgres) settings() []doctor.Finding {
	const primary = "Connect workers to the primary (target_session_attrs=read-write finds it), " +
		"with sessions that may write."
	const idle = "idle_in_transaction_session_timeout"
	isolation, wal := p.vars["default_transaction_isolation"], p.vars["wal_level"]
	return []doctor.Finding{
		doctor.Fine("server", "PostgreSQL "+p.vars["server_version"]),
		doctor.Fine("isolation", isolation).
			But(isolation == "serializable", note, "",
				"Transactions that touch the same rows fail more often, and are tried again.",
				"read committed is enough."),
		doctor.Fine("writable", "yes").
			But(p.vars["standby"] == "true", bad, "a standby", "What workers need is on the primary.", primary).
			But(p.vars.on("default_transaction_read_only"), bad, "default_transaction_read_only is on",
				"Workers cannot write here.", primary),
		doctor.Fine("wal_level", wal).
			But(wal == "minimal", note, "", "The write-ahead log is neither archived nor sent to a standby: "+
				"a backup that is restored lacks all that was committed since"+lossWhy,
				"After a restore, make the namespaces anew with a rest, "+
					"and set the counter above the largest ID that was ever given."),
		doctor.Fine(idle, p.vars[idle]+"; workers set their own"),
	}
}

// renewals judges which indexes a renewal writes, and whether it finds room.
func renewals(has settings, table string) []doctor.Finding {
	fill, _ := strconv.Atoi(has["fillfactor"])
	return []doctor.Finding{
		doctor.Fine("indexes", "the primary key only").
			But(has["indexes"] != "", warn, "also of "+has["indexes"], "With an index of a column that a renewal "+
				"changes, every renewal writes the index as well (it is no HOT update), and the table grows until it "+
				"is vacuumed.", "Drop it: workers need the primary key only."),
		doctor.Fine("fillfactor", has["fillfactor"]).
			But(fill > 90, note, "",
				"A page has no room for the next version of its rows, so that renewals write the index, too.",
				"ALTER TABLE "+table+" SET (fillfactor = 80)"),
	}
}
