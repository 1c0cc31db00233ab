package cached

import (
	"sync"

	uid "github.com/uidgen/uid"
)

// Unordered draws from a generator without a line of memory that all cores write, and
// without the caller holding a Lane: it keeps Lanes, about one for each processor that
// draws, and lends one to each call. Its GetUID scales with the number of cores. It is
// slower than Generator.GetUID for a single goroutine, and faster where several cores
// contend.
//
// What is given up is order: UIDs are unique, and never staler than MaxLag, but one
// call may return a smaller UID than a call that returned before it, in the same
// goroutine too. Each garbage collection may drop Lanes that lie idle, and with each
// the up to 1,024 UIDs that it holds; they leave a hole.
type Unordered struct {
	g     *Generator
	lanes sync.Pool
}

// Unordered returns a way to draw from g that scales with the number of cores. One is
// enough for a program; it needs no closing.
func (g *Generator) Unordered() *Unordered {
	return &Unordered{g: g, lanes: sync.Pool{New: func() any { return g.Lane() }}}
}

// GetUID returns a UID, or an error just as Generator.GetUID does. It may be called by
// any number of goroutines at once.
func (o *Unordered) GetUID() (uid.UID, error) {
	l := o.lanes.Get().(*Lane)
	u, err := l.GetUID()
	o.lanes.Put(l)
	return u, err
}

// ParseUID splits a UID by the generator's layout.
func (o *Unordered) ParseUID(u uid.UID) (uid.Parts, error) { return o.g.ParseUID(u) }

var _ uid.Generator = (*Unordered)(nil)
