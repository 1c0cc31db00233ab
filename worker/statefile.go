package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"github.com/gofrs/flock"

	"github.com/uidgen/uid"
)

// A state file is three pages of JSON, one value each, filled up with spaces: a note
// for people who find the file, and two slots. Each save goes to the slot that does not
// hold the newest record, so that one that is interrupted, at whatever byte, leaves the
// newest one alone. Pages keep the slots out of each other's sectors.
//
//	{"file":"..."}
//	{"crc32c":"5f3a0c11","sequence":8,"pid":4711,"kind":"fixed", ...}
//	{"crc32c":"90b1d2e4","sequence":7,"pid":4711,"kind":"fixed", ...}
//
// The checksum is that of the rest of its page, byte for byte. The lock is on the file
// itself. On Windows, where what is locked cannot be read or written, that is its first
// byte, which nobody needs.
const statePage = 4096

const stateNote = `{"file":"ticks reserved under a uid worker ID; written while in use, not to be edited, copied or restored"}`

// A stateRecord is what a worker keeps across restarts. It does not matter to the file
// what is in it.
type stateRecord struct {
	Kind     string `json:"kind"` // whose record it is: stateFixed, stateLease
	Host     string `json:"host"` // where the file was written
	WorkerID int64  `json:"workerId"`
	Layout   string `json:"layout"` // of the UIDs that were issued under the ID
	High     int64  `json:"high"`   // the last tick that may have been issued, -1 for none

	// The rest is for leases. What a proposal was is written down before it is sent.
	Namespace     string `json:"namespace,omitempty"`
	Nonce         string `json:"nonce,omitempty"`         // the confirmed one
	Limit         int64  `json:"limit,omitempty"`         // the last tick reserved with it
	ProposedNonce string `json:"proposedNonce,omitempty"` // may have replaced Nonce
	ProposedLimit int64  `json:"proposedLimit,omitempty"` // may have replaced Limit
}

// The kinds of records.
const (
	stateFixed = "fixed"
	stateLease = "lease"
)

// A stateSlot is the content of a slot.
type stateSlot struct {
	Sequence int64 `json:"sequence"` // counts the saves, from 1; odd ones are in the first slot
	PID      int   `json:"pid"`      // of the process that wrote it
	stateRecord
}

// disk is what a stateFile needs of an os.File.
type disk interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	Sync() error
}

// A stateFile keeps one record in a file, which it has locked against everybody else.
// It is not safe for concurrent use.
type stateFile struct {
	path string
	lock *flock.Flock
	file disk

	newest stateSlot // Sequence 0: the file is empty
	page   []byte    // the newest slot as it stands in the file
	torn   bool      // the other slot is damaged, as after a save that was interrupted
}

// openState opens and locks the file, which is created, empty, if there is none, and
// reads it. It returns uid.ErrWorkerInUse when the file is locked, be it by this very
// process, and ErrState when it is not empty and neither of its records is intact.
func openState(path string) (*stateFile, error) {
	path, err := filepath.Abs(path) // the working directory may change
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrState, err)
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDWR|os.O_CREATE), flock.SetPermissions(0o644))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("%w: cannot lock the file: %w", ErrState, err)
	}
	if !locked {
		return nil, fmt.Errorf("%w: the state file %s is locked by %s", uid.ErrWorkerInUse, path, stateHolder(path))
	}
	f := &stateFile{path: path, lock: lock}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrState, err), lock.Unlock())
	}
	f.file = file
	if err := f.read(); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// read finds the newest record.
func (f *stateFile) read() error {
	if err := f.checkPath(); err != nil {
		return err
	}
	info, err := f.file.Stat()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	if info.Size() <= lockedBytes() {
		return nil
	}
	f.newest, f.page, f.torn, err = newestState(f.file)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrState, f.path, err)
	}
	if f.newest.Sequence == 0 {
		return fmt.Errorf("%w: neither record in the %d bytes of %s is intact, so that nobody knows which ticks were issued; "+
			"if it is a worker's, remove it once its worker ID is not in use anywhere and the clock has passed all that was issued under it",
			ErrState, info.Size(), f.path)
	}
	return nil
}

// newestState finds the newest intact record, if there is one, its page, and whether
// the other one is damaged.
func newestState(r io.ReaderAt) (newest stateSlot, page []byte, torn bool, err error) {
	for i := range int64(2) {
		p, err := readState(r, i)
		if err != nil {
			return stateSlot{}, nil, false, err
		}
		slot, intact, err := parseState(p)
		switch {
		case err != nil:
			return stateSlot{}, nil, false, err
		case !intact || stateIndex(slot.Sequence) != i:
			torn = torn || !bytes.Equal(p, blankState)
		case slot.Sequence > newest.Sequence:
			newest, page = slot, p
		}
	}
	return newest, page, torn, nil
}

// load returns the newest record, if there is one.
func (f *stateFile) load() (r stateRecord, found bool) {
	return f.newest.stateRecord, f.newest.Sequence > 0
}

// save replaces the record. When it returns nil, the record is on the disk and load
// returns it. When it fails, load returns the former one, but the file may hold either,
// until the next save that succeeds. It returns uid.ErrRange when the record does not
// fit, and ErrState when the file is not as it was left: no longer in its folder,
// or changed by somebody else, who may issue the same ticks.
func (f *stateFile) save(r stateRecord) error {
	slot := stateSlot{Sequence: f.newest.Sequence + 1, PID: os.Getpid(), stateRecord: r}
	page, err := formatState(slot)
	if err != nil {
		return fmt.Errorf("the record for %s: %w", f.path, err)
	}
	write := f.overwrite
	if f.newest.Sequence == 0 {
		write = f.create
	}
	if err := write(slot.Sequence, page); err != nil {
		return err
	}
	if err := f.checkPath(); err != nil {
		return err
	}
	f.newest, f.page, f.torn = slot, page, false
	return nil
}

func (f *stateFile) overwrite(sequence int64, page []byte) error {
	last, err := readState(f.file, stateIndex(f.newest.Sequence))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	if !bytes.Equal(last, f.page) {
		return fmt.Errorf("%w: %s was changed by somebody else while in use", ErrState, f.path)
	}
	if _, err := f.file.WriteAt(page, stateOffset(stateIndex(sequence))); err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	if err := f.file.Sync(); err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	return nil
}

// create writes the first record, together with all the rest of the file, and makes
// the folder keep the file. What it does not complete it takes back.
func (f *stateFile) create(_ int64, page []byte) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w: %w", ErrState, errors.Join(err, f.file.Truncate(lockedBytes())))
		}
	}()
	whole := slices.Concat(padState([]byte(stateNote), statePage), page, blankState)
	if _, err := f.file.WriteAt(whole[lockedBytes():], lockedBytes()); err != nil {
		return err
	}
	if err := f.file.Sync(); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(f.path))
}

// checkPath returns ErrState when the file that is locked is not the one that others
// find under its path.
func (f *stateFile) checkPath() error {
	ours, err := f.file.Stat()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	locked, err := f.lock.Stat()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	theirs, err := os.Stat(f.path)
	if err != nil {
		return fmt.Errorf("%w: the file in use is no longer in its place: %w", ErrState, err)
	}
	if !os.SameFile(ours, theirs) || !os.SameFile(ours, locked) {
		return fmt.Errorf("%w: the file in use is no longer in its place: another one is now at %s", ErrState, f.path)
	}
	return nil
}

// close unlocks the file. It leaves the record as it is.
func (f *stateFile) close() error {
	return errors.Join(f.file.Close(), f.lock.Unlock())
}

// stateHolder says, as far as can be told, who holds the file's lock.
func stateHolder(path string) string {
	var newest stateSlot
	if file, err := os.Open(path); err == nil {
		newest, _, _, _ = newestState(file) // it may be in the middle of a save
		file.Close()
	}
	if newest.Sequence == 0 {
		return "another worker"
	}
	return fmt.Sprintf("another worker; process %d on host %q wrote it last", newest.PID, newest.Host)
}

// stateIndex returns the slot that the save of that number goes to.
func stateIndex(sequence int64) int64 { return (sequence + 1) % 2 }

// stateOffset returns where a slot begins.
func stateOffset(index int64) int64 { return (index + 1) * statePage }

// readState returns a slot's page, or what there is of it.
func readState(r io.ReaderAt, index int64) ([]byte, error) {
	page := make([]byte, statePage)
	n, err := r.ReadAt(page, stateOffset(index))
	if err != nil && err != io.EOF {
		return nil, err
	}
	return page[:n], nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// stateSum returns how a page with this rest begins.
func stateSum(rest []byte) []byte {
	return fmt.Appendf(nil, `{"crc32c":"%08x",`, crc32.Checksum(rest, castagnoli))
}

// stateSumLen is the length of what stateSum returns.
const stateSumLen = len(`{"crc32c":"00000000",`)

// parseState reads a slot's page. It reports false when the page is damaged, and
// returns an error when it is intact but not of this form: then it is the work of
// another version, and the other page cannot be taken instead.
func parseState(page []byte) (s stateSlot, intact bool, err error) {
	if len(page) != statePage || !bytes.Equal(page[:stateSumLen], stateSum(page[stateSumLen:])) {
		return s, false, nil
	}
	text := append([]byte("{"), page[stateSumLen:]...)
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return stateSlot{}, false, fmt.Errorf("a record of another version of the program: %w", err)
	}
	if d.More() || s.Sequence < 1 {
		return stateSlot{}, false, fmt.Errorf("a record of another version of the program: sequence %d", s.Sequence)
	}
	return s, true, nil
}

// formatState returns the page that parseState reads as s. It returns uid.ErrRange
// when there is none.
func formatState(s stateSlot) ([]byte, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	if n := stateSumLen + len(text); n > statePage { // the brace makes room for the newline
		return nil, fmt.Errorf("%w: it has %d bytes, a slot %d", uid.ErrRange, n, statePage)
	}
	rest := padState(text[1:], statePage-stateSumLen)
	page := append(stateSum(rest), rest...)
	if back, intact, err := parseState(page); err != nil || !intact || back != s {
		return nil, fmt.Errorf("%w: it cannot be read back: is one of its texts not valid UTF-8?", uid.ErrRange)
	}
	return page, nil
}

// padState returns text with spaces and a newline up to n bytes; it has fewer than n.
func padState(text []byte, n int) []byte {
	padded := bytes.Repeat([]byte(" "), n)
	copy(padded, text)
	padded[n-1] = '\n'
	return padded
}

// blankState is the second slot until the second save.
var blankState = padState([]byte("{}"), statePage)

// lockedBytes is how many bytes of the file not even the lock's owner can write, since
// it does so by another handle than the lock's.
func lockedBytes() int64 {
	if runtime.GOOS == "windows" {
		return 1
	}
	return 0
}

// syncFolder makes a new file's name durable.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil // where names are durable with their files, and folders cannot be synced
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}
