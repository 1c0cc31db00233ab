package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
)

func record(high int64) stateRecord {
	return stateRecord{Kind: stateFixed, Host: "alpha", WorkerID: 7, Layout: "28/22/13 unit=1s", High: high}
}

func tempState(t testing.TB) string { return filepath.Join(t.TempDir(), "uid.state") }

func mustOpenState(t testing.TB, path string) *stateFile {
	t.Helper()
	f, err := openState(path)
	require.NoError(t, err)
	return f
}

// saved opens the file, saves records of these highs and closes it.
func saved(t testing.TB, path string, highs ...int64) {
	t.Helper()
	f := mustOpenState(t, path)
	for _, high := range highs {
		require.NoError(t, f.save(record(high)))
	}
	require.NoError(t, f.close())
}

func loadHigh(t testing.TB, path string) int64 {
	t.Helper()
	f := mustOpenState(t, path)
	defer func() { require.NoError(t, f.close()) }()
	r, found := f.load()
	require.True(t, found)
	return r.High
}

func TestStateFileKeepsTheLastRecord(t *testing.T) {
	path := tempState(t)
	f := mustOpenState(t, path)
	_, found := f.load()
	require.False(t, found)
	full := stateRecord{
		Kind: stateLease, Host: "alpha", WorkerID: 7, Layout: "l", High: -1,
		Namespace: "n", Nonce: "aa", Limit: 5, ProposedNonce: "bb", ProposedLimit: 6,
	}
	for range 5 {
		for _, r := range []stateRecord{record(1 << 62), full, record(-1)} {
			require.NoError(t, f.save(r))
			got, found := f.load()
			require.True(t, found)
			require.Equal(t, r, got)
			require.NoError(t, f.close())
			f = mustOpenState(t, path)
			got, _ = f.load()
			require.Equal(t, r, got)
			require.False(t, f.torn)
		}
	}
	require.NoError(t, f.close())
}

// People can read the file: it is a sequence of JSON values, and nothing else.
func TestStateFileIsText(t *testing.T) {
	path := tempState(t)
	for i := range int64(3) {
		saved(t, path, i)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Len(t, text, 3*statePage)
		d := json.NewDecoder(strings.NewReader(string(text)))
		var note, first, second map[string]any
		require.NoError(t, d.Decode(&note))
		require.NoError(t, d.Decode(&first))
		require.NoError(t, d.Decode(&second))
		require.False(t, d.More())
		require.Contains(t, note, "file")
		newest := []map[string]any{first, second}[i%2]
		require.EqualValues(t, i+1, newest["sequence"])
		require.EqualValues(t, os.Getpid(), newest["pid"])
		require.EqualValues(t, i, newest["high"])
		require.EqualValues(t, 7, newest["workerId"])
		require.Equal(t, "alpha", newest["host"])
	}
}

func TestStateFileIsLocked(t *testing.T) {
	path := tempState(t)
	f := mustOpenState(t, path)
	_, err := openState(path)
	require.ErrorIs(t, err, uid.ErrWorkerInUse)
	require.ErrorContains(t, err, path)
	require.NoError(t, f.save(record(1)))

	link := path + ".link"
	require.NoError(t, os.Link(path, link))
	for _, name := range []string{path, link} {
		_, err = openState(name)
		require.ErrorIs(t, err, uid.ErrWorkerInUse)
		require.ErrorContains(t, err, `on host "alpha"`)
	}
	// The refusals have not cost f its lock.
	_, err = openState(path)
	require.ErrorIs(t, err, uid.ErrWorkerInUse)
	require.NoError(t, f.close())
	require.NoError(t, mustOpenState(t, path).close())
}

// A save that is interrupted at whatever byte leaves the record before it, or has
// been completed.
func TestStateFileTornSave(t *testing.T) {
	for _, before := range [][]int64{{10}, {10, 20}, {10, 20, 30}} {
		path := tempState(t)
		saved(t, path, before...)
		old, err := os.ReadFile(path)
		require.NoError(t, err)
		last := before[len(before)-1]
		saved(t, path, 99)
		complete, err := os.ReadFile(path)
		require.NoError(t, err)
		at := int(stateOffset(stateIndex(int64(len(before) + 1))))
		text := len(bytes.TrimRight(complete[at:at+statePage], " \n"))
		torn, whole := 0, 0
		for n := 0; n <= statePage; n++ {
			if n > text+2 && n < statePage-2 { // spaces, as there were before
				n = min(n+60, statePage-2)
			}
			// The page is written from its beginning; or from its end, as a disk may.
			for _, part := range [][2]int{{at, at + n}, {at + n, at + statePage}} {
				image := append([]byte(nil), old...)
				copy(image[part[0]:part[1]], complete[part[0]:part[1]])
				found, _, _, err := newestState(bytes.NewReader(image))
				require.NoError(t, err)
				switch found.High {
				case last:
					torn++
				case 99:
					require.True(t, bytes.Equal(complete, image))
					whole++
				default:
					t.Fatalf("after %d bytes: %d", n, found.High)
				}
			}
		}
		require.Greater(t, torn, 50)
		require.Greater(t, whole, 2)

		image := append([]byte(nil), old...)
		image[at] = 'x'
		require.NoError(t, os.WriteFile(path, image, 0o600))
		f := mustOpenState(t, path)
		require.True(t, f.torn)
		// It is the damaged slot that is written next.
		require.NoError(t, f.save(record(100)))
		require.False(t, f.torn)
		require.NoError(t, f.close())
		require.EqualValues(t, 100, loadHigh(t, path))
	}
}

// A file that has been cut off keeps the record that is left, or is refused: no byte
// of it makes a new file.
func TestStateFileCutOff(t *testing.T) {
	path := tempState(t)
	saved(t, path, 10, 20, 30) // 30 is in the first slot
	image, err := os.ReadFile(path)
	require.NoError(t, err)
	for n := len(image); n > 0; n -= 7 {
		require.NoError(t, os.Truncate(path, int64(n)))
		f, err := openState(path)
		if n >= 2*statePage {
			require.NoError(t, err)
			r, _ := f.load()
			require.EqualValues(t, 30, r.High)
			require.NoError(t, f.close())
			continue
		}
		require.ErrorIs(t, err, ErrState, "%d bytes", n)
		require.ErrorContains(t, err, path)
		require.ErrorContains(t, err, "remove it")
	}
}

// Any byte that is changed damages its record.
func TestStateFileDamage(t *testing.T) {
	path := tempState(t)
	saved(t, path, 10, 20)
	image, err := os.ReadFile(path)
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		damaged := append([]byte(nil), image...)
		hit := [2]bool{}
		for slot := range hit {
			if !rapid.Bool().Draw(t, "damage") {
				continue
			}
			at := stateOffset(int64(slot)) + rapid.Int64Range(0, statePage-1).Draw(t, "at")
			damaged[at] ^= rapid.ByteRange(1, 255).Draw(t, "by")
			hit[slot] = true
		}
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		f, err := openState(path)
		if hit[0] && hit[1] {
			require.ErrorIs(t, err, ErrState)
			return
		}
		require.NoError(t, err)
		defer f.close()
		r, _ := f.load()
		require.Equal(t, hit[0] || hit[1], f.torn)
		if hit[1] {
			require.EqualValues(t, 10, r.High)
		} else {
			require.EqualValues(t, 20, r.High)
		}
	})
}

// A record of a form that is not known is not passed over in favour of the other one.
func TestStateFileOfAnotherVersion(t *testing.T) {
	for _, text := range []string{
		`"sequence":3,"pid":1,"kind":"fixed","host":"","workerId":1,"layout":"","high":1,"flavour":"new"}`,
		`"sequence":3,"pid":1,"high":"1"}`,
		`"sequence":0}`,
		`"sequence":3} {}`,
		``,
	} {
		path := tempState(t)
		saved(t, path, 10, 20)
		image, err := os.ReadFile(path)
		require.NoError(t, err)
		rest := padState([]byte(text), statePage-stateSumLen)
		copy(image[stateOffset(0):], append(stateSum(rest), rest...))
		require.NoError(t, os.WriteFile(path, image, 0o600))
		_, err = openState(path)
		require.ErrorIs(t, err, ErrState)
		require.ErrorContains(t, err, "another version")
	}
	// A slot that was copied over the other one is not in its place.
	path := tempState(t)
	saved(t, path, 10, 20)
	image, err := os.ReadFile(path)
	require.NoError(t, err)
	copy(image[stateOffset(0):], image[stateOffset(1):])
	copy(image[stateOffset(1):], make([]byte, statePage))
	require.NoError(t, os.WriteFile(path, image, 0o600))
	_, err = openState(path)
	require.ErrorIs(t, err, ErrState)
}

func TestStateFileThatIsNotOne(t *testing.T) {
	dir := t.TempDir()
	_, err := openState(dir)
	require.ErrorIs(t, err, ErrState)
	_, err = openState(filepath.Join(dir, "missing", "uid.state"))
	require.ErrorIs(t, err, ErrState)
	require.ErrorIs(t, err, fs.ErrNotExist)
	other := filepath.Join(dir, "other")
	require.NoError(t, os.WriteFile(other, []byte(strings.Repeat("precious\n", 2000)), 0o600))
	_, err = openState(other)
	require.ErrorIs(t, err, ErrState)
	text, err := os.ReadFile(other)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("precious\n", 2000), string(text), "what is refused is not written to")
}

// Whoever removes, replaces or changes a file that is in use makes its owner stop.
func TestStateFileIsLost(t *testing.T) {
	for name, lose := range map[string]func(path string) error{
		"removed": os.Remove,
		"moved":   func(path string) error { return os.Rename(path, path+".old") },
		"replaced by a new one": func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o600))
		},
		"replaced by a copy": func(path string) error {
			text, err := os.ReadFile(path)
			return errors.Join(err, os.Remove(path), os.WriteFile(path, text, 0o600))
		},
		"emptied": func(path string) error { return os.Truncate(path, 0) },
		"restored in place": func(path string) error {
			text, err := os.ReadFile(path + ".backup")
			return errors.Join(err, os.WriteFile(path, text, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := tempState(t)
			f := mustOpenState(t, path)
			require.NoError(t, f.save(record(1)))
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path+".backup", text, 0o600))
			require.NoError(t, f.save(record(2)))
			require.NoError(t, lose(path))
			for range 2 {
				require.ErrorIs(t, f.save(record(3)), ErrState)
				r, _ := f.load()
				require.EqualValues(t, 2, r.High, "what was not saved is not reported")
			}
			require.NoError(t, f.close())
		})
	}
}

func TestStateFileRefusesWhatItCannotHold(t *testing.T) {
	path := tempState(t)
	f := mustOpenState(t, path)
	defer f.close()
	require.NoError(t, f.save(record(1)))
	long := record(2)
	long.Layout = strings.Repeat("x", statePage)
	require.ErrorIs(t, f.save(long), uid.ErrRange)
	strange := record(2)
	strange.Host = "a\xffb"
	require.ErrorIs(t, f.save(strange), uid.ErrRange)
	r, _ := f.load()
	require.Equal(t, record(1), r)

	// The longest that fits does fit, and one byte more does not.
	fits := record(2)
	for n := statePage - 200; ; n++ {
		fits.Layout = strings.Repeat("x", n)
		if err := f.save(fits); err != nil {
			require.ErrorIs(t, err, uid.ErrRange)
			require.ErrorContains(t, err, "4097 bytes")
			break
		}
	}
	r, _ = f.load()
	require.Less(t, len(r.Layout), len(fits.Layout))
	require.NoError(t, f.close())
	g := mustOpenState(t, path)
	again, _ := g.load()
	require.Equal(t, r, again)
	require.NoError(t, g.close())
}

// fullDisk fails after some bytes, or at a Sync.
type fullDisk struct {
	disk
	room     int
	failSync bool
}

var errFull = errors.New("no space left on device")

func (d *fullDisk) WriteAt(p []byte, off int64) (int, error) {
	if len(p) <= d.room {
		d.room -= len(p)
		return d.disk.WriteAt(p, off)
	}
	n, err := d.disk.WriteAt(p[:d.room], off)
	d.room = 0
	return n, errors.Join(err, errFull)
}

func (d *fullDisk) Sync() error {
	if d.failSync {
		return errFull
	}
	return d.disk.Sync()
}

func TestStateFileOnAFullDisk(t *testing.T) {
	for room := 0; room < 100; room += 11 { // less than the text of a record
		path := tempState(t)
		f := mustOpenState(t, path)
		require.NoError(t, f.save(record(1)))
		require.NoError(t, f.save(record(2)))
		healthy := f.file
		for range 3 { // the retries spoil no other slot
			f.file = &fullDisk{disk: healthy, room: room}
			err := f.save(record(3))
			require.ErrorIs(t, err, ErrState)
			require.ErrorIs(t, err, errFull)
		}
		r, _ := f.load()
		require.EqualValues(t, 2, r.High)
		require.NoError(t, f.close())
		require.EqualValues(t, 2, loadHigh(t, path))
		saved(t, path, 4)
		require.EqualValues(t, 4, loadHigh(t, path))
	}
	// What was written but could not be synced may be there or not.
	path := tempState(t)
	f := mustOpenState(t, path)
	require.NoError(t, f.save(record(1)))
	healthy := f.file
	f.file = &fullDisk{disk: healthy, room: statePage, failSync: true}
	require.ErrorIs(t, f.save(record(2)), errFull)
	r, _ := f.load()
	require.EqualValues(t, 1, r.High)
	f.file = healthy
	require.NoError(t, f.save(record(3)))
	require.NoError(t, f.close())
	require.EqualValues(t, 3, loadHigh(t, path))
}

// A file whose creation fails is as it was: empty, and good for another attempt.
func TestStateFileCreatedOnAFullDisk(t *testing.T) {
	for _, broken := range []fullDisk{{room: 0}, {room: 100}, {room: statePage}, {room: 2*statePage + 1}, {room: 3 * statePage, failSync: true}} {
		path := tempState(t)
		f := mustOpenState(t, path)
		healthy := f.file
		broken.disk = healthy
		f.file = &broken
		require.ErrorIs(t, f.save(record(1)), errFull)
		_, found := f.load()
		require.False(t, found)
		require.NoError(t, f.close())
		f = mustOpenState(t, path)
		_, found = f.load()
		require.False(t, found)
		require.NoError(t, f.save(record(2)))
		require.NoError(t, f.close())
		require.EqualValues(t, 2, loadHigh(t, path))
	}
}

// FuzzState reads pages of any content. What is read can be written, and is read
// again.
func FuzzState(f *testing.F) {
	page, err := formatState(stateSlot{Sequence: 7, PID: 1, stateRecord: record(12)})
	require.NoError(f, err)
	page = bytes.TrimRight(page, " \n")
	f.Add(page, false)
	f.Add(page[stateSumLen:], true)
	f.Add([]byte(`"sequence":1}`), true)
	f.Fuzz(func(t *testing.T, text []byte, sealed bool) {
		if len(text) > statePage-stateSumLen {
			text = text[:statePage-stateSumLen]
		}
		page := padState(text, statePage)
		if sealed { // give it the checksum that no fuzzer finds
			rest := padState(text, statePage-stateSumLen)
			page = append(stateSum(rest), rest...)
		}
		slot, intact, err := parseState(page)
		if err != nil || !intact {
			require.Zero(t, slot)
			return
		}
		again, err := formatState(slot)
		require.NoError(t, err)
		back, intact, err := parseState(again)
		require.NoError(t, err)
		require.True(t, intact)
		require.Equal(t, slot, back)
	})
}
