package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/worker"
)

func record(high int64) Record {
	return Record{
		Kind: KindFixed, Host: "alpha", WorkerID: 7, Layout: "28/22/13 unit=1s",
		Granted: high, NextGranted: high + ahead,
	}
}

const ahead = 100 // by how much a record's NextGranted is above its Granted

func tempFile(t testing.TB) string { return filepath.Join(t.TempDir(), "uid.state") }

func mustOpen(t testing.TB, path string) *File {
	t.Helper()
	f, err := Open(path)
	require.NoError(t, err)
	return f
}

func openError(path string) error {
	_, err := Open(path)
	return err
}

func content(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return text
}

// newFile opens a file that is not there yet.
func newFile(t testing.TB) (f *File, path string) {
	t.Helper()
	path = tempFile(t)
	return mustOpen(t, path), path
}

// saved opens the file, saves records of these highs and closes it.
func saved(t testing.TB, path string, highs ...int64) {
	t.Helper()
	f := mustOpen(t, path)
	for _, high := range highs {
		require.NoError(t, f.Save(record(high)))
	}
	require.NoError(t, f.Close())
}

func loadGranted(t testing.TB, path string) int64 {
	t.Helper()
	f := mustOpen(t, path)
	defer func() { require.NoError(t, f.Close()) }()
	r, found := f.Load()
	require.True(t, found)
	return r.Granted
}

// People can read the file: it is a sequence of JSON values, and nothing else.
func TestFileIsText(t *testing.T) {
	path := tempFile(t)
	for i := range int64(3) {
		saved(t, path, i)
		text := content(t, path)
		require.Len(t, text, 3*pageSize)
		d := json.NewDecoder(strings.NewReader(string(text)))
		var note, first, second map[string]any
		require.NoError(t, d.Decode(&note))
		require.NoError(t, d.Decode(&first))
		require.NoError(t, d.Decode(&second))
		require.False(t, d.More())
		require.Contains(t, note, "file")
		require.Subset(t, []map[string]any{first, second}[i%2], map[string]any{"sequence": float64(i + 1),
			"pid": float64(os.Getpid()), "high": float64(i), "workerId": 7.0, "host": "alpha"})
	}
}

func TestFileIsLocked(t *testing.T) {
	f, path := newFile(t)
	logtest.Error(t, openError(path), uid.ErrWorkerInUse, path)
	require.NoError(t, f.Save(record(1)))

	link := path + ".link"
	require.NoError(t, os.Link(path, link))
	for _, name := range []string{path, link} {
		logtest.Error(t, openError(name), uid.ErrWorkerInUse, `on host "alpha"`)
	}
	// The refusals have not cost f its lock.
	require.ErrorIs(t, openError(path), uid.ErrWorkerInUse)
	require.NoError(t, f.Close())
	require.NoError(t, mustOpen(t, path).Close())
}

// A save that is interrupted at whatever byte leaves the record before it, or has
// been completed.
func TestFileTornSave(t *testing.T) {
	for _, before := range [][]int64{{10}, {10, 20}, {10, 20, 30}} {
		path := tempFile(t)
		saved(t, path, before...)
		old := content(t, path)
		last := before[len(before)-1]
		saved(t, path, 99)
		complete := content(t, path)
		at := int(slotOffset(slotIndex(int64(len(before) + 1))))
		text := len(bytes.TrimRight(complete[at:at+pageSize], " \n"))
		torn, whole := 0, 0
		for n := 0; n <= pageSize; n++ {
			if n > text+2 && n < pageSize-2 { // spaces, as there were before
				n = min(n+60, pageSize-2)
			}
			// The page is written from its beginning; or from its end, as a disk may.
			for _, part := range [][2]int{{at, at + n}, {at + n, at + pageSize}} {
				image := append([]byte(nil), old...)
				copy(image[part[0]:part[1]], complete[part[0]:part[1]])
				found, _, _, err := newestSlot(bytes.NewReader(image))
				require.NoError(t, err)
				switch found.Granted {
				case last:
					torn++
				case 99:
					require.True(t, bytes.Equal(complete, image))
					whole++
				default:
					t.Fatalf("after %d bytes: %d", n, found.Granted)
				}
			}
		}
		require.Greater(t, torn, 50)
		require.Greater(t, whole, 2)

		image := append([]byte(nil), old...)
		image[at] = 'x'
		require.NoError(t, os.WriteFile(path, image, 0o600))
		f := mustOpen(t, path)
		require.True(t, f.Torn())
		// It is the damaged slot that is written next.
		require.NoError(t, f.Save(record(100)))
		require.False(t, f.Torn())
		require.NoError(t, f.Close())
		require.EqualValues(t, 100, loadGranted(t, path))
	}
}

// A file that has been cut off keeps the record that is left, or is refused: no byte
// of it makes a new file.
func TestFileCutOff(t *testing.T) {
	path := tempFile(t)
	saved(t, path, 10, 20, 30) // 30 is in the first slot
	image := content(t, path)
	for n := len(image); n > 0; n -= 7 {
		require.NoError(t, os.Truncate(path, int64(n)))
		f, err := Open(path)
		if n >= 2*pageSize {
			require.NoError(t, err)
			r, _ := f.Load()
			if n == 3*pageSize {
				require.EqualValues(t, 30, r.Granted)
			} else {
				require.EqualValues(t, 30+ahead, r.Granted)
			}
			require.NoError(t, f.Close())
			continue
		}
		logtest.Error(t, err, worker.ErrState, path, "remove it")
	}
}

// Any byte that is changed damages its record. What is left tells how far the other one may reach.
func TestFileDamage(t *testing.T) {
	path := tempFile(t)
	saved(t, path, 10, 20)
	image := content(t, path)
	rapid.Check(t, func(t *rapid.T) {
		damaged := append([]byte(nil), image...)
		hit := [2]bool{}
		for slot := range hit {
			if !rapid.Bool().Draw(t, "damage") {
				continue
			}
			at := slotOffset(int64(slot)) + rapid.Int64Range(0, pageSize-1).Draw(t, "at")
			damaged[at] ^= rapid.ByteRange(1, 255).Draw(t, "by")
			hit[slot] = true
		}
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		f, err := Open(path)
		if hit[0] && hit[1] {
			require.ErrorIs(t, err, worker.ErrState)
			require.ErrorContains(t, err, "neither record")
			return
		}
		require.NoError(t, err)
		defer f.Close()
		r, _ := f.Load()
		require.Equal(t, hit[0] || hit[1], f.Torn())
		switch {
		case hit[1]:
			require.EqualValues(t, 10+ahead, r.Granted)
		case hit[0]:
			require.EqualValues(t, 20+ahead, r.Granted)
		default:
			require.EqualValues(t, 20, r.Granted)
		}
	})
}

// Whatever bit of a record is flipped, and however far the records went, what is read is not below
// what was saved last.
func TestFileWithAFlippedBit(t *testing.T) {
	f, path := newFile(t)
	defer func() { require.NoError(t, f.Close()) }()
	for n, high := range []int64{-1, 3, 3 + ahead, 1000, 1001 + ahead, 7, 1 << 40} { // the next one foreseen, and not
		before := f.newest.Sequence
		require.NoError(t, f.Save(record(high)))
		if f.newest.Sequence < 2 {
			continue
		}
		require.Equal(t, n > 2 && n != 5, f.newest.Sequence == before+2,
			"saved twice only when it goes beyond what was foreseen")
		image := content(t, path)
		for at := pageSize; at < len(image); at++ {
			page := image[at/pageSize*pageSize:][:pageSize]
			for bit := range 8 {
				image[at] ^= 1 << bit
				if _, intact, err := parsePage(page); intact || err != nil {
					t.Fatalf("bit %d of byte %d flipped: %v", bit, at, err)
				}
				if bit == at%8 && at%pageSize%16 == n { // these take longer
					newest, _, torn, err := newestSlot(bytes.NewReader(image))
					require.NoError(t, err)
					require.True(t, torn)
					require.GreaterOrEqual(t, newest.NextGranted, high)
				}
				image[at] ^= 1 << bit
			}
		}
	}
}

// A page that is as it was before the first save, or long ago, is damaged, too.
func TestFileWithAnOldPage(t *testing.T) {
	path := tempFile(t)
	saved(t, path, 10)
	first := content(t, path)
	saved(t, path, 20)
	second := content(t, path)
	saved(t, path, 30, 40, 50)
	newest := content(t, path)
	for name, c := range map[string]struct {
		page []byte
		high int64
	}{
		"blank":              {first[2*pageSize:], 50 + ahead}, // where 40 was
		"of three saves ago": {second[2*pageSize:], 50 + ahead},
		"as it is":           {newest[2*pageSize:], 50},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(path, append(bytes.Clone(newest[:2*pageSize]), c.page...), 0o600))
			require.Equal(t, c.high, loadGranted(t, path))
		})
	}
}

// The form of a record stays as it is, or its version changes.
func TestFileForm(t *testing.T) {
	page, err := formatPage(slot{Version: version, Sequence: 7, PID: 4711, Record: Record{
		Kind: KindLease, Host: "alpha", WorkerID: 7, Layout: "l", Granted: 3, NextGranted: 8,
		Namespace: "n", Nonce: "aa", Reserved: 5,
	}})
	require.NoError(t, err)
	require.Equal(t,
		`{"crc32c":"46819ea7","version":2,"sequence":7,"pid":4711,"kind":"lease","host":"alpha","workerId":7,`+
			`"layout":"l","high":3,"next":8,"namespace":"n","nonce":"aa","limit":5}`,
		string(bytes.TrimSpace(page)))
}

// A record of a form that is not known is not passed over in favour of the other one.
func TestFileOfAnotherVersion(t *testing.T) {
	for _, text := range []string{
		`"sequence":3,"pid":1,"kind":"fixed","host":"","workerId":1,"layout":"","high":1,"flavour":"new"}`,
		`"sequence":3,"pid":1,"high":"1"}`,
		`"sequence":0}`,
		`"version":3,"sequence":3,"high":1,"next":1}`,
		`"version":1,"sequence":3,"high":1,"next":1}`,
		`"version":-1,"sequence":3,"high":1,"next":1}`,
		`"version":2,"sequence":3,"high":1}`,
		`"sequence":3} {}`,
		``,
	} {
		path := tempFile(t)
		saved(t, path, 10, 20)
		image := content(t, path)
		rest := pad([]byte(text), pageSize-sumLen)
		copy(image[slotOffset(0):], append(sum(rest), rest...))
		require.NoError(t, os.WriteFile(path, image, 0o600))
		logtest.Error(t, openError(path), worker.ErrState, "another version")
	}
	// A slot that was copied over the other one is not in its place.
	path := tempFile(t)
	saved(t, path, 10, 20)
	image := content(t, path)
	copy(image[slotOffset(0):], image[slotOffset(1):])
	copy(image[slotOffset(1):], make([]byte, pageSize))
	require.NoError(t, os.WriteFile(path, image, 0o600))
	require.ErrorIs(t, openError(path), worker.ErrState)
}

// An end of the lock does not wait for the end of the handle, which a child may have inherited.
func TestFileUnlocksAtOnce(t *testing.T) {
	f, path := newFile(t)
	require.NoError(t, f.Save(record(1)))
	require.NoError(t, unlock(f.lock))
	require.NoError(t, mustOpen(t, path).Close())
	require.NoError(t, f.Close())
}

func TestFileThatIsNotOne(t *testing.T) {
	dir := t.TempDir()
	require.ErrorIs(t, openError(dir), worker.ErrState)
	err := openError(filepath.Join(dir, "missing", "uid.state"))
	require.ErrorIs(t, err, worker.ErrState)
	require.ErrorIs(t, err, fs.ErrNotExist)
	other := filepath.Join(dir, "other")
	require.NoError(t, os.WriteFile(other, []byte(strings.Repeat("precious\n", 2000)), 0o600))
	require.ErrorIs(t, openError(other), worker.ErrState)
	require.Equal(t, strings.Repeat("precious\n", 2000), string(content(t, other)), "what is refused is not written to")
}

// Whoever removes, replaces or changes a file that is in use makes its owner stop.
func TestFileIsLost(t *testing.T) {
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
			f, path := newFile(t)
			require.NoError(t, f.Save(record(1)))
			require.NoError(t, os.WriteFile(path+".backup", content(t, path), 0o600))
			require.NoError(t, f.Save(record(2)))
			require.NoError(t, lose(path))
			for range 2 {
				require.ErrorIs(t, f.Save(record(3)), worker.ErrState)
				r, _ := f.Load()
				require.EqualValues(t, 2, r.Granted, "what was not saved is not reported")
			}
			require.NoError(t, f.Close())
		})
	}
}

func TestFileRefusesWhatItCannotHold(t *testing.T) {
	f, path := newFile(t)
	defer f.Close()
	require.NoError(t, f.Save(record(1)))
	long := record(2)
	long.Layout = strings.Repeat("x", pageSize)
	require.ErrorIs(t, f.Save(long), uid.ErrRange)
	strange := record(2)
	strange.Host = "a\xffb"
	require.ErrorIs(t, f.Save(strange), uid.ErrRange)
	short := record(2)
	short.NextGranted = 1
	require.ErrorIs(t, f.Save(short), uid.ErrRange)
	r, _ := f.Load()
	require.Equal(t, record(1), r)

	// The longest that fits does fit, and one byte more does not.
	fits := record(2)
	for n := pageSize - 200; ; n++ {
		fits.Layout = strings.Repeat("x", n)
		if err := f.Save(fits); err != nil {
			logtest.Error(t, err, uid.ErrRange, "4097 bytes")
			break
		}
	}
	r, _ = f.Load()
	require.Less(t, len(r.Layout), len(fits.Layout))
	require.NoError(t, f.Close())
	g := mustOpen(t, path)
	again, _ := g.Load()
	require.Equal(t, r, again)
	require.NoError(t, g.Close())
}

// A tightDisk notes what is asked of it. It fails after some bytes, or at one of the syncs.
type tightDisk struct {
	disk
	room  int
	fails string
	asked []string
}

func (d *tightDisk) WriteAt(p []byte, off int64) (int, error) {
	d.asked = append(d.asked, fmt.Sprintf("write %d at %d", len(p), off))
	n, err := d.disk.WriteAt(p[:min(len(p), d.room)], off)
	if d.room -= n; n < len(p) {
		err = errors.Join(err, ErrFull)
	}
	return n, err
}

func (d *tightDisk) Sync() error       { return d.ask("sync", d.disk.Sync) }
func (d *tightDisk) SyncFolder() error { return d.ask("sync the folder", d.disk.SyncFolder) }

func (d *tightDisk) ask(what string, do func() error) error {
	if d.asked = append(d.asked, what); what == d.fails {
		return ErrFull
	}
	return do()
}

func TestFileOnAFullDisk(t *testing.T) {
	for room := 0; room < 100; room += 11 { // less than the text of a record
		f, path := newFile(t)
		require.NoError(t, f.Save(record(1)))
		require.NoError(t, f.Save(record(2)))
		healthy := f.disk
		for range 3 { // the retries spoil no other slot
			f.disk = &tightDisk{disk: healthy, room: room}
			err := f.Save(record(3))
			require.ErrorIs(t, err, worker.ErrState)
			require.ErrorIs(t, err, ErrFull)
		}
		r, _ := f.Load()
		require.EqualValues(t, 2, r.Granted)
		require.NoError(t, f.Close())
		if room > len(`{"crc32c":"`) { // else the page is as it was
			require.EqualValues(t, 2+ahead, loadGranted(t, path))
		} else {
			require.EqualValues(t, 2, loadGranted(t, path))
		}
		saved(t, path, 4)
		require.EqualValues(t, 4, loadGranted(t, path))
	}
	// What was written but could not be synced may be there or not.
	f, path := newFile(t)
	require.NoError(t, f.Save(record(1)))
	healthy := f.disk
	f.disk = &tightDisk{disk: healthy, room: pageSize, fails: "sync"}
	require.ErrorIs(t, f.Save(record(2)), ErrFull)
	r, _ := f.Load()
	require.EqualValues(t, 1, r.Granted)
	f.disk = healthy
	require.NoError(t, f.Save(record(3)))
	require.NoError(t, f.Close())
	require.EqualValues(t, 3, loadGranted(t, path))
}

// A file whose creation fails is as it was: empty, and good for another attempt. A name that cannot be made durable
// is no new file.
func TestFileCreatedOnAFullDisk(t *testing.T) {
	for _, broken := range []tightDisk{
		{room: 0}, {room: 100}, {room: pageSize}, {room: 2*pageSize + 1}, {room: 3 * pageSize, fails: "sync"},
		{room: 3 * pageSize, fails: "sync the folder"},
	} {
		for _, reopens := range []bool{true, false} {
			f, path := newFile(t)
			healthy, failing := f.disk, broken
			failing.disk = healthy
			f.disk = &failing
			err := f.Save(record(1))
			require.ErrorIs(t, err, worker.ErrState)
			require.ErrorIs(t, err, ErrFull)
			_, found := f.Load()
			require.False(t, found)
			require.Empty(t, content(t, path))
			if f.disk = healthy; reopens {
				require.NoError(t, f.Close())
				f = mustOpen(t, path)
			}
			_, found = f.Load()
			require.False(t, found)
			require.NoError(t, f.Save(record(2)))
			require.NoError(t, f.Close())
			require.EqualValues(t, 2, loadGranted(t, path))
		}
	}
	require.Error(t, syncFolder(tempFile(t)))
}

// What is saved survives a crash of the machine: the page, and with a new file its name, too.
func TestFileIsSynced(t *testing.T) {
	f := mustOpen(t, tempFile(t))
	defer func() { require.NoError(t, f.Close()) }()
	noted := &tightDisk{disk: f.disk, room: 1 << 20}
	f.disk = noted
	require.NoError(t, f.Save(record(1)))
	require.Equal(t, []string{"write 12288 at 0", "sync", "sync the folder"}, noted.asked)
	noted.asked = nil
	require.NoError(t, f.Save(record(2)))
	require.Equal(t, []string{"write 4096 at 8192", "sync"}, noted.asked)
}

// FuzzState reads pages of any content. What is read can be written, and is read
// again.
func FuzzState(f *testing.F) {
	page, err := formatPage(slot{Version: version, Sequence: 7, PID: 1, Record: record(12)})
	require.NoError(f, err)
	page = bytes.TrimRight(page, " \n")
	f.Add(page, false)
	f.Add(page[sumLen:], true)
	f.Add([]byte(`"sequence":1}`), true)
	f.Fuzz(func(t *testing.T, text []byte, sealed bool) {
		if len(text) > pageSize-sumLen {
			text = text[:pageSize-sumLen]
		}
		page := pad(text, pageSize)
		if sealed { // give it the checksum that no fuzzer finds
			rest := pad(text, pageSize-sumLen)
			page = append(sum(rest), rest...)
		}
		read, intact, err := parsePage(page)
		if err != nil || !intact {
			require.Zero(t, read)
			return
		}
		again, err := formatPage(read)
		require.NoError(t, err)
		back, intact, err := parsePage(again)
		require.NoError(t, err)
		require.True(t, intact)
		require.Equal(t, read, back)
	})
}
