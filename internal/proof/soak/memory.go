package main

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"
)

// A memory is what the processes of a round share: a file without a name, mapped by each
// of them, that outlives every process but the one that made it. All words in it are
// accessed atomically.
type memory struct {
	geometry
	file *os.File
	data []byte

	head   *head
	last   []atomic.Int64  // by worker ID: one more than the newest tick drawn of, 0 if none
	owners []atomic.Uint32 // by run: the drawer who was first
	bits   []uint64        // by UID
}

// head is the beginning of the memory.
type head struct {
	slots      [maxSlots]counters
	kinds      [kinds]atomic.Uint64 // how many violations of each kind there are
	recorded   atomic.Uint64        // how many of violations are taken
	violations [maxViolations]violation
}

const (
	maxSlots      = 64
	maxViolations = 256
)

// counters are those of a slot, whose processes come one after the other.
type counters struct {
	uids    atomic.Uint64 // drawn and marked
	refused atomic.Uint64 // calls that failed because nothing was reserved or allowed
	slowest atomic.Int64  // ns: the longest time that a few calls together took
	stalled atomic.Int64  // ns: the longest time without a UID for a goroutine that wanted one
	lost    atomic.Uint64 // leases that ended, or were another's, while a process lived
	taken   atomic.Uint64 // leases taken over from a process that did not release them
	up      atomic.Uint32 // the incarnation that has a generator
	pauses  atomic.Uint32 // incremented before a process is stopped
	_       [64]byte
}

// offsets returns where the parts begin, and where all ends.
func (g geometry) offsets() (last, owners, bitmap, end int64) {
	const page = 1 << 16
	up := func(n int64) int64 { return (n + page - 1) &^ (page - 1) }
	last = up(int64(unsafe.Sizeof(head{})))
	owners = up(last + 8*(g.layout.MaxWorkerID()+1))
	bitmap = up(owners + 4*g.runs())
	end = up(bitmap + (g.size()+7)/8)
	return last, owners, bitmap, end
}

// newMemory makes the memory of a round, empty.
func newMemory(g geometry) (*memory, error) {
	file, err := anonymousFile()
	if err != nil {
		return nil, fmt.Errorf("soak: shared memory: %w", err)
	}
	_, _, _, end := g.offsets()
	if err := file.Truncate(end); err != nil {
		file.Close()
		return nil, fmt.Errorf("soak: shared memory of %d bytes of addresses: %w", end, err)
	}
	m, err := openMemory(g, file)
	if err != nil {
		file.Close()
	}
	return m, err
}

// openMemory maps the memory that a file descriptor stands for.
func openMemory(g geometry, file *os.File) (*memory, error) {
	last, owners, bitmap, end := g.offsets()
	data, err := mapShared(file, end)
	if err != nil {
		return nil, fmt.Errorf("soak: map %d bytes of shared memory: %w", end, err)
	}
	start := unsafe.Pointer(unsafe.SliceData(data))
	return &memory{
		geometry: g, file: file, data: data,
		head:   (*head)(start),
		last:   unsafe.Slice((*atomic.Int64)(unsafe.Add(start, last)), g.layout.MaxWorkerID()+1),
		owners: unsafe.Slice((*atomic.Uint32)(unsafe.Add(start, owners)), g.runs()),
		bits:   unsafe.Slice((*uint64)(unsafe.Add(start, bitmap)), (g.size()+63)/64),
	}, nil
}

func (m *memory) close() {
	_ = unmap(m.data)
	m.file.Close()
}

// raise makes an atomic number at least n.
func raise(a *atomic.Int64, n int64) {
	for {
		old := a.Load()
		if old >= n || a.CompareAndSwap(old, n) {
			return
		}
	}
}
