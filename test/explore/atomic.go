package explore

import "unsafe"

// The stand-ins for what the packages use of sync/atomic. Plain fields will do, as one task runs at a time.

// A cell is what all of them can do.
type cell[T comparable] struct{ v T }

func (c *cell[T]) Load() T   { point("Load", unsafe.Pointer(c)); return saw(c.v) }
func (c *cell[T]) Store(v T) { point("Store", unsafe.Pointer(c)); c.v = saw(v) }

func (c *cell[T]) Swap(v T) (before T) {
	point("Swap", unsafe.Pointer(c))
	before, c.v = c.v, v
	return saw(before)
}

func (c *cell[T]) CompareAndSwap(before, v T) (swapped bool) {
	point("CompareAndSwap", unsafe.Pointer(c))
	if swapped = c.v == before; swapped {
		c.v = v
	}
	return saw(swapped)
}

// Peek is Load without a point, for a scenario's checks.
func (c *cell[T]) Peek() T { return c.v }

type integer interface{ int32 | int64 | uint64 }

type number[T integer] struct{ cell[T] }

func (n *number[T]) Add(d T) T { point("Add", unsafe.Pointer(n)); n.v += d; return saw(n.v) }

func (n *number[T]) Or(mask T) (before T) {
	point("Or", unsafe.Pointer(n))
	before, n.v = n.v, n.v|mask
	return saw(before)
}

// These stand for the types of the same names in sync/atomic.
type (
	Bool           struct{ cell[bool] }
	Int32          struct{ number[int32] }
	Int64          struct{ number[int64] }
	Uint64         struct{ number[uint64] }
	Pointer[T any] struct{ cell[*T] }
)

// at takes a plain integer for a number, which is laid out as it is.
func at[T integer](p *T) *number[T] { return (*number[T])(unsafe.Pointer(p)) }

func LoadInt64(p *int64) int64     { return at(p).Load() }
func StoreInt64(p *int64, v int64) { at(p).Store(v) }

func CompareAndSwapInt64(p *int64, before, v int64) (swapped bool) {
	return at(p).CompareAndSwap(before, v)
}
