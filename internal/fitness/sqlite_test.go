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
		checkFinding(t, journalMode(mode), want)
	}
	checkFinding(t, synchronous("3"), ok, "EXTRA")
	checkFinding(t, synchronous("1"), ok, "NORMAL")
	checkFinding(t, synchronous("0"), damage, "OFF")
	checkFinding(t, synchronous("9"), ok, "9")
}

func TestFile(t *testing.T) {
	good := file{disk: localDisk, linksKnown: true, links: 1}
	for _, tt := range []struct {
		judge  func(file) doctor.Finding
		change func(*file)
		want   doctor.Level
		says   string
	}{
		{file.whole, func(f *file) { f.damaged = true }, bad, "damaged"},
		{file.system, func(f *file) { f.inMemory = true }, bad, "in memory"},
		{file.system, func(f *file) { f.disk = unknownDisk }, note, "could not be told"},
		{file.system, func(f *file) { f.disk = networkDisk }, bad, "network"},
		{file.system, func(f *file) { f.disk = memoryDisk }, warn, "in memory"},
		{file.names, func(f *file) { f.links = 2 }, bad, "2"},
		{file.names, func(f *file) { f.links = 0 }, bad, "0"},
		{file.names, func(f *file) { f.linksKnown = false }, note, "could not be told"},
		{file.place, func(f *file) { f.gone = true }, bad, "removed or moved"},
		{file.place, func(f *file) { f.mounted = true }, bad, "mounted by itself"},
		{file.place, func(f *file) { f.moved = true }, bad, "another file is there"},
	} {
		f := good
		checkFinding(t, tt.judge(f), ok)
		tt.change(&f)
		checkFinding(t, tt.judge(f), tt.want, tt.says)
	}
	require.Zero(t, file{inMemory: true}.names())
	require.Zero(t, file{inMemory: true}.place())
	require.Zero(t, file{gone: true}.names())
}
