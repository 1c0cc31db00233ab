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

// settings judges settings that lose nothing by themselves.
func (p postgres) settings() []doctor.Finding {
	const idle = "idle_in_transaction_session_timeout"
	wal, closed := p.vars["wal_level"], ""
	switch {
	case p.vars["standby"] == "true":
		closed = "a standby"
	case p.vars.on("default_transaction_read_only"):
		closed = "default_transaction_read_only is on"
	}
	return []doctor.Finding{
		doctor.Fine("server", "PostgreSQL "+p.vars["server_version"]),
		isolation(p.vars["default_transaction_isolation"]),
		writable(closed),
		doctor.Fine("wal_level", wal).
			But(wal == "minimal", note, "", "The write-ahead log is neither archived nor sent to a standby: "+
				"a restored backup lacks all later commits"+lossWhy, "After a restore, make the namespaces anew with "+
				"uid worker init --lost, and set the counter above the largest ID ever given."),
		doctor.Fine(idle, p.vars[idle]+"; workers set their own"),
	}
}

// renewals judges which indexes a renewal writes, and whether a page has room for it.
func renewals(has settings, table string) []doctor.Finding {
	fill, _ := strconv.Atoi(has["fillfactor"])
	return []doctor.Finding{
		doctor.Fine("indexes", "the primary key only").
			But(has["indexes"] != "", warn, "also of "+has["indexes"], "Each renewal writes the index as well (it is "+
				"no HOT update), and the table grows until it is vacuumed.", "Drop it: workers need the primary key "+
				"only."),
		doctor.Fine("fillfactor", has["fillfactor"]).
			But(fill > 90, note, "", "A page has no room for the next version of its rows: renewals write the index, "+
				"too.", "ALTER TABLE "+table+" SET (fillfactor = 80)"),
	}
}
