package statefile

import "errors"

// Crash ends the binding as the end of the process would.
func (f *File) Crash() {
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
func (f *File) Fill() func() {
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
func (l *Lease) Crash() error { return errors.Join(l.close(), l.lease.Leave()) }

// Fill makes every write to the file fail, until what it returns is called.
func (l *Lease) Fill() func() { return l.file.Fill() }
