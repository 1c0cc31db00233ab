// Package state keeps a worker's record in a file across restarts: which ticks may have been
// issued. The file is locked while it is in use. After a crash at any instant it holds the newest
// record that was saved, or the one that was being saved. If that one is damaged, the record before
// it tells how far it may have reached.
package state

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker"
)

// A File keeps one record in a file, and locks it against other processes and against other Files
// of this one. Make it with [Open].
//
// It must not be copied, or used by two goroutines at once. A Save reads one page of 4 KiB, and
// writes and syncs another; if the record grants more than the last one foresaw, it does so twice.
type File struct {
	path string
	lock *os.File // holds the lock
	disk disk     // lock, unless a test has put something in between

	newest slot   // Sequence 0: the file is empty. Granted is raised to NextGranted if torn
	page   []byte // the newest slot, byte for byte as in the file
	torn   bool   // the other slot is damaged
}

// disk is what a File needs of an os.File.
type disk interface {
	io.ReaderAt
	io.WriterAt
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	Sync() error
	SyncFolder() error
}

// A named file is a disk's own.
type named struct{ *os.File }

// SyncFolder makes a new file's name durable.
func (n named) SyncFolder() error { return syncFolder(filepath.Dir(n.Name())) }

// Open opens, locks and reads the file. If there is none it creates an empty one, in a folder
// that must exist. It does not wait. It returns [uid.ErrWorkerInUse] when the file is locked,
// even by this very process, and names the process that wrote it last if it can. It returns
// [worker.ErrState] when the file cannot be opened or locked, or is not empty and neither of its
// records is intact, or one is of another version of the program; that wraps
// [errors.ErrUnsupported] on AIX, Plan 9 and in WebAssembly, which lock no files.
func Open(path string) (*File, error) {
	path, err := filepath.Abs(path) // the working directory may change
	if err != nil {
		return nil, unusable(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("%w: cannot open the file: %w", worker.ErrState, err)
	}
	locked, err := tryLock(file)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: cannot lock the file %s: %w", worker.ErrState, path, err), file.Close())
	}
	if !locked {
		return nil, errors.Join(fmt.Errorf("%w: the state file %s is locked by %s",
			uid.ErrWorkerInUse, path, holder(path)), file.Close())
	}
	f := &File{path: path, lock: file, disk: named{file}}
	if err := f.read(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// read finds the newest record.
func (f *File) read() error {
	if err := f.checkPath(); err != nil {
		return err
	}
	info, err := f.disk.Stat()
	if err != nil {
		return unusable(err)
	}
	if info.Size() == 0 {
		return nil
	}
	f.newest, f.page, f.torn, err = newestSlot(f.disk)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", worker.ErrState, f.path, err)
	}
	if f.newest.Sequence == 0 {
		return fmt.Errorf("%w: neither record in the %d bytes of %s is intact, so that nobody knows which ticks were "+
			"issued; %s", worker.ErrState, info.Size(), f.path, remedy)
	}
	if f.torn {
		f.newest.Granted = f.newest.NextGranted // the other one may be newer
	}
	return nil
}

const remedy = "if it is a worker's, remove it once its worker ID is not in use anywhere " +
	"and the clock has passed all that was issued under it"

// newestSlot finds the newest intact record, if there is one, and its page. torn reports whether
// the other slot does not hold the record before it.
func newestSlot(r io.ReaderAt) (newest slot, page []byte, torn bool, err error) {
	before := int64(0) // sequence of the other record
	for i := range int64(2) {
		p, err := readPage(r, i)
		if err != nil {
			return slot{}, nil, false, err
		}
		s, intact, err := parsePage(p)
		switch {
		case err != nil:
			return slot{}, nil, false, err
		case !intact || slotIndex(s.Sequence) != i:
			torn = torn || !bytes.Equal(p, blankPage)
		case s.Sequence > newest.Sequence:
			before, newest, page = newest.Sequence, s, p
		default:
			before = s.Sequence
		}
	}
	return newest, page, torn || before != newest.Sequence-1, nil
}

// Path returns the file's absolute path.
func (f *File) Path() string { return f.path }

// Torn reports whether one of the two records is damaged, as after an interrupted save. The next
// Save writes over it.
func (f *File) Torn() bool { return f.torn }

// Damaged is what a worker logs when a file is Torn.
const Damaged = "a record of a worker's state file is damaged, perhaps half written; going on above all it can have"

// Load returns the newest record, if there is one. If the file is Torn, the damaged record may have
// been newer: Granted is then as large as it can have been there. It does not read the file.
func (f *File) Load() (r Record, found bool) {
	return f.newest.Record, f.newest.Sequence > 0
}

// Save replaces the record. When it returns nil, the record is on the disk and Load returns it.
// When it fails, Load returns the former record, but the file may hold either until the next Save
// that succeeds. It returns [uid.ErrRange] when the record does not fit, or its NextGranted is less
// than its Granted, and [worker.ErrState] when it cannot be written, or when the file is no longer in its folder
// or was changed by another process, which may issue the same ticks.
func (f *File) Save(r Record) error {
	if r.NextGranted < r.Granted {
		return fmt.Errorf("%w: the record for %s has ticks up to %d, the next one is to have %d",
			uid.ErrRange, f.path, r.Granted, r.NextGranted)
	}
	if foreseen := f.newest.Record; f.newest.Sequence > 0 && foreseen.NextGranted < r.Granted {
		foreseen.NextGranted = r.Granted
		if err := f.save(foreseen); err != nil {
			return err
		}
	}
	return f.save(r)
}

func (f *File) save(r Record) error {
	next := slot{Version: version, Sequence: f.newest.Sequence + 1, PID: os.Getpid(), Record: r}
	page, err := formatPage(next)
	if err != nil {
		return fmt.Errorf("the record for %s: %w", f.path, err)
	}
	write := f.overwrite
	if f.newest.Sequence == 0 {
		write = f.create
	}
	if err := write(page); err != nil {
		return err
	}
	if err := f.checkPath(); err != nil {
		return err
	}
	f.newest, f.page, f.torn = next, page, false
	return nil
}

func (f *File) overwrite(page []byte) error {
	last, err := readPage(f.disk, slotIndex(f.newest.Sequence))
	if err != nil {
		return unusable(err)
	}
	if !bytes.Equal(last, f.page) {
		return fmt.Errorf("%w: %s was changed by somebody else while in use", worker.ErrState, f.path)
	}
	if _, err := f.disk.WriteAt(page, slotOffset(slotIndex(f.newest.Sequence+1))); err != nil {
		return unusable(err)
	}
	if err := f.disk.Sync(); err != nil {
		return unusable(err)
	}
	return nil
}

// create writes the whole file with its first record, and makes its name in the folder durable.
// If it fails it empties the file.
func (f *File) create(page []byte) (err error) {
	defer func() {
		if err != nil {
			err = unusable(errors.Join(err, f.disk.Truncate(0)))
		}
	}()
	if _, err := f.disk.WriteAt(slices.Concat(pad([]byte(note), pageSize), page, blankPage), 0); err != nil {
		return err
	}
	if err := f.disk.Sync(); err != nil {
		return err
	}
	return f.disk.SyncFolder()
}

// checkPath returns ErrState when the locked file is not the one that others find at its path.
func (f *File) checkPath() error {
	ours, err := f.lock.Stat()
	if err != nil {
		return unusable(err)
	}
	theirs, err := os.Stat(f.path)
	if err != nil {
		return fmt.Errorf("%w: the file in use is no longer in its place: %w", worker.ErrState, err)
	}
	if !os.SameFile(ours, theirs) {
		return fmt.Errorf("%w: the file in use is no longer in its place: another one is now at %s",
			worker.ErrState, f.path)
	}
	return nil
}

// Close unlocks and closes the file. It leaves the record as it is.
func (f *File) Close() error {
	return errors.Join(unlock(f.lock), f.lock.Close())
}

func unusable(err error) error { return fmt.Errorf("%w: %w", worker.ErrState, err) }

// holder describes the process that holds the file's lock, as far as that is known.
func holder(path string) string {
	var newest slot
	if file, err := os.Open(path); err == nil {
		newest, _, _, _ = newestSlot(file) // it may be in the middle of a save
		file.Close()
	}
	if newest.Sequence == 0 {
		return "another worker"
	}
	return fmt.Sprintf("another worker; process %d on host %q wrote it last", newest.PID, newest.Host)
}

func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil // names are durable with their files, and folders cannot be synced
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
