package queue

// News tells all waiters that something has changed. Unlike a sync.Cond it can be waited for in a select. A
// channel is closed at the next Tell. The zero value is ready for use, under the lock that guards what changes.
type News struct{ next chan struct{} } // nil if nobody waits

// Listen returns a channel that is closed at the next Tell.
func (n *News) Listen() <-chan struct{} {
	if n.next == nil {
		n.next = make(chan struct{})
	}
	return n.next
}

// Tell ends every wait.
func (n *News) Tell() {
	if n.next != nil {
		close(n.next)
		n.next = nil
	}
}
