package fitness

import (
	"context"
	"fmt"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/doctor"
)

// A postgres is what a server of PostgreSQL tells about itself.
type postgres struct {
	vars     settings
	standbys []string // the names of those that are connected, which any account may see
}

// postgresServer asks for all that the findings need. The views pg_settings and pg_stat_replication would read all
// settings, and all sessions.
func (e *exam) postgresServer(ctx context.Context) (p postgres, err error) {
	if p.vars, err = readSettings(ctx, e.conn, e.query("settings")); err != nil || !e.takeovers {
		return p, err
	}
	name := func(name *string) []any { return []any{name} }
	p.standbys, err = database.SelectRows(ctx, e.conn, name, e.query("standbys"))
	return p, database.Failed("ask for standbys", err)
}

func (e *exam) postgresLosses(ctx context.Context) error {
	p, err := e.postgresServer(ctx)
	if err == nil {
		e.add(p.losses()...)
	}
	return err
}

// losses judges whether an acknowledged commit is on disk, what a standby lacks when it takes over, and the settings
// without which a crash damages the database.
func (p postgres) losses() []doctor.Finding {
	commit, names := p.vars["synchronous_commit"], p.vars["synchronous_standby_names"]
	how := "asynchronous"
	if names != "" {
		how = "synchronous_standby_names is set"
	}
	all := []doctor.Finding{
		doctor.Fine("synchronous_commit", commit).
			But(commit == "off", crash, "", "A crash of the server loses the newest commits",
				"Set it to on, for the database or the account of workers at least.").
			But(commit == "local" && names != "", takeover, "",
				"synchronous_commit is local: no standby need have a commit", "Set it to on."),
		replication("no standby is connected", len(p.standbys), how, lackingStandby(names, p.standbys),
			"let synchronous_standby_names make each standby that may take over have a commit: FIRST 2 (a, b)").
			But(names != "", note, fmt.Sprintf("%d connected, %s", len(p.standbys), how), "Only a standby of "+
				"synchronous_standby_names has every commit. While too few are connected, commits wait.",
				"Make sure that no other one is ever promoted."),
	}
	for _, name := range []string{"fsync", "full_page_writes"} {
		is := p.vars[name]
		all = append(all, doctor.Fine(name, is).
			But(is != "" && !p.vars.on(name), damage, is+", not on", "A crash of the machine can damage the database, "+
				"and lose any commit: IDs and ticks then come again, whatever workers are set to.", "Set it to on."))
	}
	return all
}
