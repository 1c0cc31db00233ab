package fitness

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/doctor"
)

func TestSettingsOfSQLite(t *testing.T) {
	for mode, want := range map[string]doctor.Level{
		"delete": ok, "wal": note, "truncate": ok, "persist": ok, "memory": damage, "off": damage,
	} {
		checkFinding(t, sqliteLosses(mode, "3")[0], want, mode)
	}
	for level, name := range map[string]string{"3": "EXTRA", "1": "NORMAL", "9": "9"} {
		checkFinding(t, sqliteLosses("delete", level)[1], ok, name)
	}
	checkFinding(t, sqliteLosses("delete", "0")[1], damage, "OFF")
}

func TestFile(t *testing.T) {
	good := file{disk: localDisk}
	for _, tt := range []struct {
		what string
		is   file
		want doctor.Level
		says string
	}{
		{"file", file{damaged: true}, bad, "damaged"},
		{"file system", file{inMemory: true}, bad, "in memory"},
		{"file system", file{}, note, "could not be told"},
		{"file system", file{disk: networkDisk}, bad, "network"},
		{"file system", file{disk: memoryDisk}, warn, "in memory"},
		{"place of the file", file{unusable: errors.New("it has 2 names")}, bad, "refuse it: it has 2 names."},
		{"place of the file", file{moved: true}, bad, "another file is there"},
	} {
		checkFinding(t, find(t, good.findings(), tt.what), ok)
		checkFinding(t, find(t, tt.is.findings(), tt.what), tt.want, tt.says)
	}
	require.Len(t, file{inMemory: true}.findings(), 2, "it has no place")
}
