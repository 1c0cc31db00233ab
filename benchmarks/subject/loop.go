package subject

import (
	"cmp"
	"errors"
	"io"
	"sync"
)

// A Source is an open subject, with which any number of goroutines draw at once. If it is an
// io.Closer, too, it has to be closed.
type Source interface{ Drawer }

// DrawerOf returns what one goroutine draws with: the source, unless that has a Drawer for each.
func DrawerOf(s Source) Drawer {
	if own, ok := s.(interface{ Drawer() Drawer }); ok {
		return own.Drawer()
	}
	return s
}

// A Stepper is a source that takes several numbers at a time from its server.
type Stepper interface {
	// Step returns how many numbers were taken last.
	Step() int64
}

// A Drawer makes IDs. One that DrawerOf returns belongs to one goroutine.
type Drawer interface {
	// Draw makes n IDs and drops them.
	Draw(n int) error
	// Keys makes len(dst) IDs and keeps them.
	Keys(dst []Key) error
}

// A Key has the bits in which two IDs of a subject can differ.
type Key [2]uint64

// Close closes a source if there is anything to close.
func Close(s Source) error {
	if c, ok := s.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// each makes n IDs. The compiler puts it, and the function literal that an adapter passes, into the
// adapter's method: no call stands between two IDs but the library's own.
func each(n int, next func() error) error {
	for range n {
		if err := next(); err != nil {
			return err
		}
	}
	return nil
}

// keep makes len(dst) IDs and keeps their keys. It becomes part of the adapter's method, as each does.
func keep(dst []Key, next func() (Key, error)) error {
	for i := range dst {
		k, err := next()
		if err != nil {
			return err
		}
		dst[i] = k
	}
	return nil
}

// Distinct has goroutines draw so many IDs each, and returns the keys that there were.
func Distinct(src Source, goroutines, n int) (map[Key]bool, error) {
	each, errs := make([][]Key, goroutines), make([]error, goroutines)
	var ended sync.WaitGroup
	for g := range goroutines {
		d := DrawerOf(src)
		ended.Go(func() {
			each[g] = make([]Key, n)
			errs[g] = cmp.Or(d.Draw(3), d.Keys(each[g]))
		})
	}
	ended.Wait()
	keys := make(map[Key]bool)
	for _, all := range each {
		for _, k := range all {
			keys[k] = true
		}
	}
	return keys, errors.Join(errs...)
}

// word is the key of an ID of 64 bits.
func word[T ~int64 | ~uint64](id T, err error) (Key, error) { return Key{uint64(id)}, err }
