package statefile

import "errors"

// File and Lease are the workers that New and OnLease return.
type (
	File  = file
	Lease = fileLease
)

// Crash ends the binding as the end of the process would.
func (f *file) Crash() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.close(); err != nil {
		panic(err)
	}
	if err := f.binding.Unbind(); err != nil {
		panic(err)
	}
}

// Fill makes every write to the file fail, until what it returns is called.
func (f *file) Fill() func() {
	f.mu.Lock()
	defer f.mu.Unlock()
	undo := f.state.Fill()
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		undo()
	}
}

// Crash ends the binding as the end of the process would.
func (l *fileLease) Crash() error { return errors.Join(l.close(), l.lease.Leave()) }

// Fill makes every write to the file fail, until what it returns is called.
func (l *fileLease) Fill() func() { return l.FillAfter(0) }

// FillAfter is Fill once that many writes went well.
func (l *fileLease) FillAfter(writes int) func() { return l.file.FillAfter(writes) }
