package fitness

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/doctor"
)

func TestSettingsOfSQLite(t *testing.T) {
	for mode, want := range map[string]doctor.Level{
		"delete": ok, "wal": note, "truncate": ok, "persist": ok, "memory": damage, "OFF": damage,
	} {
		checkRows(t, sqliteRows(settings{"journal": mode}), "journal_mode", want)
	}
	for _, tt := range []struct {
		level, journal string
		want           doctor.Level
		says           string
	}{
		{"3", "delete", ok, "EXTRA"}, {"2", "delete", warn, "FULL"}, {"2", "wal", ok, "FULL"},
		{"1", "wal", damage, "NORMAL"}, {"0", "delete", damage, "OFF"}, {"9", "wal", ok, "9"},
	} {
		rows := sqliteRows(settings{"synchronous": tt.level, "journal": tt.journal})
		checkRows(t, rows, "synchronous", tt.want, tt.says)
	}
}

func TestFile(t *testing.T) {
	good := file{disk: localDisk, linksKnown: true, links: 1}
	for _, f := range doctor.Judge(good.rows()...) {
		require.Equal(t, ok, f.Level)
	}
	for _, tt := range []struct {
		change  func(*file)
		what    string
		want    doctor.Level
		says    string
		howMany int
	}{
		{func(f *file) { f.damaged = true }, "file", bad, "damaged", 4},
		{func(f *file) { f.inMemory = true }, "file system", bad, "in memory", 2},
		{func(f *file) { f.disk = unknownDisk }, "file system", note, "could not be told", 4},
		{func(f *file) { f.disk = networkDisk }, "file system", bad, "network", 4},
		{func(f *file) { f.disk = memoryDisk }, "file system", warn, "in memory", 4},
		{func(f *file) { f.links = 2 }, "names of the file", bad, "2", 4},
		{func(f *file) { f.links = 0 }, "names of the file", bad, "0", 4},
		{func(f *file) { f.linksKnown = false }, "names of the file", note, "could not be told", 4},
		{func(f *file) { f.gone = true }, "place of the file", bad, "removed or moved", 3},
		{func(f *file) { f.mounted = true }, "place of the file", bad, "mounted by itself", 4},
		{func(f *file) { f.moved = true }, "place of the file", bad, "another file is there", 4},
	} {
		f := good
		tt.change(&f)
		checkRows(t, f.rows(), tt.what, tt.want, tt.says)
		require.Len(t, doctor.Judge(f.rows()...), tt.howMany)
	}
}
