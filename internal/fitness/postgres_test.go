package fitness

import (
	"testing"

	"github.com/uidgen/uid/internal/doctor"
)

// Each row has one fault.
func TestSettingsOfPostgres(t *testing.T) {
	durable := settings{
		"standby": "false", "fsync": "on", "full_page_writes": "on", "wal_level": "replica",
		"default_transaction_isolation": "read committed", "default_transaction_read_only": "off",
		"synchronous_commit": "on", "synchronous_standby_names": "", "fillfactor": "80",
	}
	const commit, names = "synchronous_commit", "synchronous_standby_names"
	const level, readOnly = "default_transaction_isolation", "default_transaction_read_only"
	for _, tt := range []struct {
		what     string
		vars     settings
		standbys []string
		want     doctor.Level
		says     string
	}{
		{"isolation", nil, nil, ok, ""},
		{"isolation", settings{level: "serializable"}, nil, note, ""},
		{"writable", nil, nil, ok, "yes"},
		{"writable", settings{readOnly: "on"}, nil, bad, "default_transaction_read_only is on"},
		{"writable", settings{"standby": "true"}, nil, bad, "a standby"},
		{"fsync", nil, nil, ok, "on"},
		{"fsync", settings{"fsync": "off"}, nil, damage, "off, not on"},
		{"full_page_writes", settings{"full_page_writes": "off"}, nil, damage, "off, not on"},
		{commit, nil, nil, ok, "on"},
		{commit, settings{commit: "remote_apply", names: "x"}, nil, ok, ""},
		{commit, settings{commit: "remote_write", names: "x"}, nil, ok, ""},
		{commit, settings{commit: "local"}, nil, ok, ""},
		{commit, settings{commit: "local", names: "x"}, nil, takeover, "no standby need have a commit"},
		{commit, settings{commit: "off"}, nil, crash, "off"},
		{commit, settings{commit: "off", names: "x"}, nil, crash, "off"},
		{"replication", nil, nil, ok, "no standby"},
		{"replication", nil, []string{"a", "b"}, takeover, "2 connected, asynchronous"},
		{"replication", settings{names: "a"}, []string{"a", "b"}, note, "2 connected, synchronous_standby_names"},
		{"replication", settings{names: "ANY 1 (a, b)"}, []string{"a", "b"}, takeover, "lists 2 standbys, and 1 of"},
		{"wal_level", nil, nil, ok, "replica"},
		{"wal_level", settings{"wal_level": "minimal"}, nil, note, ""},
		{"indexes", nil, nil, ok, ""},
		{"indexes", settings{"indexes": "lease_until"}, nil, warn, "also of lease_until"},
		{"fillfactor", nil, nil, ok, "80"},
		{"fillfactor", settings{"fillfactor": "100"}, nil, note, "ALTER TABLE l SET (fillfactor = 80)"},
	} {
		p := postgres{durable.with(tt.vars), tt.standbys}
		all := append(append(p.settings(), p.losses()...), renewals(p.vars, "l")...)
		checkFinding(t, find(t, all, tt.what), tt.want, tt.says)
	}
}
