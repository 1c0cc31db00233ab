package state

import "errors"

// ErrFull is the error of writes after [File.Fill].
var ErrFull = errors.New("no space left on device")

// Fill makes every write fail, as on a full disk, until undo is called. It is for tests of the
// packages that use this one.
func (f *File) Fill() (undo func()) {
	healthy := f.disk
	f.disk = fullDisk{healthy}
	return func() { f.disk = healthy }
}

type fullDisk struct{ disk }

func (fullDisk) WriteAt([]byte, int64) (int, error) { return 0, ErrFull }
