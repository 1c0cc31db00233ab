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

// LeaseStateFile makes a file that belongs to a lease.
func LeaseStateFile(path string) error {
	f, err := openState(path)
	if err != nil {
		return err
	}
	r := record(5)
	r.Kind = stateLease
	return errors.Join(f.save(r), f.close())
}
