package fitness

import (
	"testing"

	"github.com/uidgen/uid/internal/doctor"
)

// One thing each.
func TestSettingsOfPostgres(t *testing.T) {
	durable := settings{
		"server_version": "17", "standby": "false", "fsync": "on", "full_page_writes": "on", "wal_level": "replica",
		"default_transaction_isolation": "read committed", "default_transaction_read_only": "off",
		"synchronous_commit": "on", "synchronous_standby_names": "",
	}
	const commit, names = "synchronous_commit", "synchronous_standby_names"
	for _, tt := range []struct {
		vars     settings
		standbys []string
		what     string
		want     doctor.Level
		says     string
	}{
		{nil, nil, "server", ok, "PostgreSQL 17"},
		{nil, nil, "isolation", ok, ""},
		{settings{"default_transaction_isolation": "serializable"}, nil, "isolation", note, ""},
		{nil, nil, "writable", ok, "yes"},
		{settings{"default_transaction_read_only": "on"}, nil, "writable", bad, "default_transaction_read_only is on"},
		{settings{"standby": "true"}, nil, "writable", bad, "a standby"},
		{nil, nil, "fsync", ok, "on"},
		{settings{"fsync": "off"}, nil, "fsync", damage, "off, not on"},
		{settings{"full_page_writes": "off"}, nil, "full_page_writes", damage, "off, not on"},
		{nil, nil, commit, ok, "on"},
		{settings{commit: "remote_apply", names: "x"}, nil, commit, ok, ""},
		{settings{commit: "remote_write", names: "x"}, nil, commit, ok, ""},
		{settings{commit: "local"}, nil, commit, ok, ""},
		{settings{commit: "local", names: "x"}, nil, commit, takeover, "no standby need have a commit"},
		{settings{commit: "off"}, nil, commit, crash, "off"},
		{settings{commit: "off", names: "x"}, nil, commit, crash, "off"},
		{nil, nil, "replication", ok, "no standby"},
		{nil, []string{"a", "b"}, "replication", takeover, "2 connected, asynchronous"},
		{settings{names: "a"}, []string{"a", "b"}, "replication", note, "2 connected, synchronous_standby_names"},
		{settings{names: "ANY 1 (a, b)"}, []string{"a", "b"}, "replication", takeover,
			"lists 2 standbys, and 1 of them"},
		{nil, nil, "wal_level", ok, "replica"},
		{settings{"wal_level": "minimal"}, nil, "wal_level", note, ""},
		{nil, nil, "idle_in_transaction_session_timeout", ok, ""},
	} {
		checkRows(t, postgresRows(durable.with(tt.vars), tt.standbys), tt.what, tt.want, tt.says)
	}
}

func TestRenewalsCost(t *testing.T) {
	checkRows(t, renewalRows(settings{"fillfactor": "80"}, "l"), "indexes", ok)
	checkRows(t, renewalRows(settings{"fillfactor": "80", "indexes": "lease_until"}, "l"), "indexes", warn,
		"also of lease_until")
	checkRows(t, renewalRows(settings{"fillfactor": "80"}, "l"), "fillfactor", ok, "80")
	checkRows(t, renewalRows(settings{"fillfactor": "100"}, "l"), "fillfactor", note,
		"ALTER TABLE l SET (fillfactor = 80)")
}
