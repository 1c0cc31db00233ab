package fitness

import (
	"testing"

	"github.com/uidgen/uid/internal/doctor"
)

// One thing each.
func TestSettingsOfPostgres(t *testing.T) {
	type p = postgres
	durable := settings{
		"standby": "false", "fsync": "on", "full_page_writes": "on", "wal_level": "replica",
		"default_transaction_isolation": "read committed", "default_transaction_read_only": "off",
		"synchronous_commit": "on", "synchronous_standby_names": "",
	}
	const commit, names = "synchronous_commit", "synchronous_standby_names"
	fsync := func(s p) doctor.Finding { return s.durable("fsync") }
	pages := func(s p) doctor.Finding { return s.durable("full_page_writes") }
	for _, tt := range []struct {
		judge    func(p) doctor.Finding
		vars     settings
		standbys []string
		want     doctor.Level
		says     string
	}{
		{p.isolation, nil, nil, ok, ""},
		{p.isolation, settings{"default_transaction_isolation": "serializable"}, nil, note, ""},
		{p.writable, nil, nil, ok, "yes"},
		{p.writable, settings{"default_transaction_read_only": "on"}, nil, bad, "default_transaction_read_only is on"},
		{p.writable, settings{"standby": "true"}, nil, bad, "a standby"},
		{fsync, nil, nil, ok, "on"},
		{fsync, settings{"fsync": "off"}, nil, damage, "off, not on"},
		{pages, settings{"full_page_writes": "off"}, nil, damage, "off, not on"},
		{p.commit, nil, nil, ok, "on"},
		{p.commit, settings{commit: "remote_apply", names: "x"}, nil, ok, ""},
		{p.commit, settings{commit: "remote_write", names: "x"}, nil, ok, ""},
		{p.commit, settings{commit: "local"}, nil, ok, ""},
		{p.commit, settings{commit: "local", names: "x"}, nil, takeover, "no standby need have a commit"},
		{p.commit, settings{commit: "off"}, nil, crash, "off"},
		{p.commit, settings{commit: "off", names: "x"}, nil, crash, "off"},
		{p.replication, nil, nil, ok, "no standby"},
		{p.replication, nil, []string{"a", "b"}, takeover, "2 connected, asynchronous"},
		{p.replication, settings{names: "a"}, []string{"a", "b"}, note, "2 connected, synchronous_standby_names"},
		{p.replication, settings{names: "ANY 1 (a, b)"}, []string{"a", "b"}, takeover, "lists 2 standbys, and 1 of"},
		{p.wal, nil, nil, ok, "replica"},
		{p.wal, settings{"wal_level": "minimal"}, nil, note, ""},
	} {
		checkFinding(t, tt.judge(postgres{durable.with(tt.vars), tt.standbys}), tt.want, tt.says)
	}
}

func TestRenewalsCost(t *testing.T) {
	checkFinding(t, indexes(settings{}), ok)
	checkFinding(t, indexes(settings{"indexes": "lease_until"}), warn, "also of lease_until")
	checkFinding(t, fillFactor(settings{"fillfactor": "80"}, "l"), ok, "80")
	checkFinding(t, fillFactor(settings{"fillfactor": "100"}, "l"), note, "ALTER TABLE l SET (fillfactor = 80)")
}
