package suite

// A Fault is what goes wrong with a call of a store.
type Fault int

const (
	// OK leaves the call alone.
	OK Fault = iota
	// Refuse fails it before anything is read: the server cannot be reached.
	Refuse
	// LoseWrite fails it after decide has run, with nothing stored.
	LoseWrite
	// LoseReply stores what decide has agreed to, and fails all the same.
	LoseReply
	// Delay fails it after decide has run. Its write is on its way, and is stored when it is delivered, unless the row
	// was written again by then.
	Delay
)

func (f Fault) String() string {
	return [...]string{"OK", "Refuse", "LoseWrite", "LoseReply", "Delay"}[f]
}
