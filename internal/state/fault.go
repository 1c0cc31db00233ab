package state

import "errors"

// ErrFull is what a write fails with after [File.Fill].
var ErrFull = errors.New("no space left on device")

// Fill is for tests of the packages that use this one: it makes every write fail, as on a
// disk that is full, until what it returns is called.
func (f *File) Fill() (undo func()) {
	healthy := f.disk
	f.disk = fullDisk{healthy}
	return func() { f.disk = healthy }
}

type fullDisk struct{ disk }

func (fullDisk) WriteAt([]byte, int64) (int, error) { return 0, ErrFull }
