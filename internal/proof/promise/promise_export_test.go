package worker

// CrashIfBound ends the binding as the end of the process does, with or without a state
// file. No call of the lease may be under way.
func CrashIfBound(l *Lease) {
	if bound, _ := l.state(); !bound {
		return
	}
	if l.file != nil {
		l.file.close()
	}
	l.file, l.hold, l.doubt = nil, nil, nil
	l.unbind()
}

// FillFile makes every write to the lease's state file fail, until what it returns is
// called. No call of the lease may be under way.
func FillFile(l *Lease) (undo func()) {
	healthy := l.file.file
	l.file.file = &fullDisk{disk: healthy}
	return func() { l.file.file = healthy }
}
