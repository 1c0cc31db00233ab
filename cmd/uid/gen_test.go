package main

import (
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
)

func uidsOf(lines string) (all []uid.UID) {
	for line := range strings.Lines(lines) {
		all = append(all, must(uid.Parse(strings.TrimSuffix(line, "\n"))))
	}
	return all
}

func TestMillion(t *testing.T) {
	// It also says how far ahead the last ones will be.
	all := uidsOf(call{args: []string{"gen", "-n", "1000000", "--store", newStore(t)}}.succeeds(t).out)
	require.Len(t, all, 1_000_000)
	require.IsIncreasing(t, all)

	// They take 123 ticks, of which the first is the clock's own.
	tick := func(i int) int64 { return must(bits.Default().Tick(all[i])) }
	require.EqualValues(t, 122, tick(len(all)-1)-tick(0))
}

// TestFarAhead: past the 90 seconds of lead that a generator borrows by default, the
// command goes on, and says so.
func TestFarAhead(t *testing.T) {
	gen := func(n string) ([]uid.UID, string) {
		o := call{args: []string{"gen", "-n", n, "--layout", "28/22/0", "--store", newStore(t)}}.succeeds(t)
		return uidsOf(o.out), o.err
	}
	all, said := gen("91")
	require.Len(t, all, 91)
	require.Empty(t, said, "90 seconds of lead")

	all, said = gen("20000")
	require.Len(t, all, 20000)
	require.IsIncreasing(t, all)
	require.Equal(t, "uid: the last of these UIDs will be up to 5h33m19s ahead of the clock: "+
		"the layout 28/22/0 has 1 a second for each worker\n", said)
}

// TestReaderGoesAwaySoon: who never sees UIDs of the future is not told of them.
func TestReaderGoesAwaySoon(t *testing.T) {
	gone := &failingWriter{n: 1 << 20, err: syscall.EPIPE}
	require.Zero(t, call{args: []string{"gen", "-n", "1e9", "--store", newStore(t)}, to: gone}.run())
}

// TestLastTicks draws all that the time field still holds, and one more.
func TestLastTicks(t *testing.T) {
	const layout = "4/4/3 unit=720h"
	now := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC).Add(13 * 720 * time.Hour) // of the ticks 0 to 15
	o := call{args: []string{"gen", "-n", "24", "--layout", layout, "--store", newStore(t)}, now: now}.succeeds(t)
	all := uidsOf(o.out)
	require.Len(t, all, 24)
	require.IsIncreasing(t, all)

	store := missingStore(t)
	args := []string{"gen", "-n", "25", "--layout", layout, "--store", store}
	text := call{args: args, now: now}.fails(t, exitBadInput)
	require.Contains(t, text, "-n 25: value out of range: ")
	require.Contains(t, text, " has room for 24 more UIDs of one worker")
	require.NoFileExists(t, store, "no worker ID is used up")
}

// TestRoom checks the arithmetic of leads against that of numbers without a limit.
func TestRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		time_ := rapid.IntRange(1, 40).Draw(t, "time bits")
		sequence := rapid.IntRange(0, 63-time_).Draw(t, "sequence bits")
		unit := rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second, time.Hour}).Draw(t, "unit")
		l, err := bits.NewLayout(bits.Config{
			TimeBits: time_, SequenceBits: sequence, WorkerBits: 63 - time_ - sequence, Unit: unit,
		})
		require.NoError(t, err)
		n := rapid.Int64Range(1, 1<<63-1).Draw(t, "n")
		now := l.TimeOf(rapid.Int64Range(0, l.MaxTick()).Draw(t, "tick"))

		room := new(big.Int).Lsh(big.NewInt(l.MaxTick()-l.TickAt(now)+1), uint(sequence))
		require.Equal(t, room.Cmp(big.NewInt(n)) < 0, checkRoom(l, n, now) != nil)

		ticks := new(big.Int).Rsh(big.NewInt(n-1), uint(sequence))
		want := ticks.Mul(ticks, big.NewInt(int64(unit)))
		if !want.IsInt64() {
			want.SetInt64(1<<63 - 1)
		}
		require.Equal(t, want.Int64(), int64(leadAfter(l, n)))
	})
}

func TestWhereTheStoreIs(t *testing.T) {
	root := string(filepath.Separator)
	for _, tt := range []struct {
		goos string
		env  map[string]string
		want string // below root, empty: refused
	}{
		{"linux", map[string]string{"HOME": root + "home"}, "home/.local/share/uid"},
		{"linux", map[string]string{"HOME": root + "home", "XDG_DATA_HOME": root + "data"}, "data/uid"},
		{"linux", map[string]string{"HOME": root + "home", "XDG_DATA_HOME": "data"}, "home/.local/share/uid"},
		{"linux", map[string]string{"LocalAppData": root + "x"}, ""},
		{"darwin", map[string]string{"HOME": root + "home"}, "home/Library/Application Support/uid"},
		{"windows", map[string]string{"LocalAppData": root + "local", "HOME": root + "x"}, "local/uid"},
		{"windows", map[string]string{"HOME": root + "x"}, ""},
	} {
		if runtime.GOOS == "windows" && tt.env["XDG_DATA_HOME"] != "" {
			continue // there a path is absolute with a drive only
		}
		got, err := dataFolder(func(key string) string { return tt.env[key] }, tt.goos)
		if tt.want == "" {
			require.ErrorContains(t, err, "use --store FILE")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, root+filepath.FromSlash(tt.want), got)
	}
}

// Who has used up the worker IDs of a store that leases them is told when they come back.
func TestFullLayout(t *testing.T) {
	var g gen
	leased := &workerStore{}
	err := g.full(leased, fmt.Errorf("x: %w", uid.ErrNoWorkerID))
	require.ErrorContains(t, err, "no worker ID left; IDs come back five minutes after")
	require.Equal(t, io.EOF, g.full(leased, io.EOF))
}

func TestDefaultStoreIsPrivate(t *testing.T) {
	data := t.TempDir()
	call{args: []string{"gen", "-n", "1"}, env: map[string]string{"XDG_DATA_HOME": data}}.succeeds(t)
	info := must(os.Stat(filepath.Join(data, "uid")))
	if runtime.GOOS != "windows" {
		require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	}
}
