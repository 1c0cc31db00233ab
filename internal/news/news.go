// Package news tells all who wait for something to change that it has. Unlike a sync.Cond it can be waited for in a
// select.
package news

// A Channel is closed at the next Tell. The zero value is ready for use, under the lock that guards what changes.
type Channel struct{ next chan struct{} } // nil if nobody waits

// Listen returns a channel that is closed at the next Tell.
func (c *Channel) Listen() <-chan struct{} {
	if c.next == nil {
		c.next = make(chan struct{})
	}
	return c.next
}

// Tell ends every wait.
func (c *Channel) Tell() {
	if c.next != nil {
		close(c.next)
		c.next = nil
	}
}
