package worker

import "errors"

// Crash ends the binding as the end of the process would.
func (f *File) Crash() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.state.close(); err != nil {
		panic(err)
	}
	f.state = nil
}

// Fill makes every write to the file fail, until what it returns is called.
func (f *File) Fill() (undo func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	healthy := f.state.file
	f.state.file = &fullDisk{disk: healthy}
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.state.file = healthy
	}
}

// ErrFull is what a write to a full disk fails with.
var ErrFull = errFull

// SaveState makes a file with a record of another kind, for worker ID 7 on host alpha.
func SaveState(path, kind, layout string, high int64) error {
	f, err := openState(path)
	if err != nil {
		return err
	}
	r := record(high)
	r.Kind, r.Layout = kind, layout
	return errors.Join(f.save(r), f.close())
}
