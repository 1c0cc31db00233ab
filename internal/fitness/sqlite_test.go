package fitness

import (
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
	good := file{disk: localDisk, linksKnown: true, links: 1}
	for _, tt := range []struct {
		what   string
		change func(*file)
		want   doctor.Level
		says   string
	}{
		{"file", func(f *file) { f.damaged = true }, bad, "damaged"},
		{"file system", func(f *file) { f.inMemory = true }, bad, "in memory"},
		{"file system", func(f *file) { f.disk = unknownDisk }, note, "could not be told"},
		{"file system", func(f *file) { f.disk = networkDisk }, bad, "network"},
		{"file system", func(f *file) { f.disk = memoryDisk }, warn, "in memory"},
		{"names of the file", func(f *file) { f.links = 2 }, bad, "2"},
		{"names of the file", func(f *file) { f.links = 0 }, bad, "0"},
		{"names of the file", func(f *file) { f.linksKnown = false }, note, "could not be told"},
		{"place of the file", func(f *file) { f.gone = true }, bad, "removed or moved"},
		{"place of the file", func(f *file) { f.mounted = true }, bad, "mounted by itself"},
		{"place of the file", func(f *file) { f.moved = true }, bad, "another file is there"},
	} {
		f := good
		checkFinding(t, find(t, f.findings(), tt.what), ok)
		tt.change(&f)
		checkFinding(t, find(t, f.findings(), tt.what), tt.want, tt.says)
	}
	require.Len(t, file{inMemory: true}.findings(), 2, "neither its names nor its place")
	require.Len(t, file{gone: true}.findings(), 3, "not its names")
}
