package harness

import (
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/uidgen/uid"
)

// A Record is a bit for each UID and each number of a Geometry, and who was the first to draw of each tick of a worker
// ID. It is in a file without a name that processes share: each maps it into memory, and it outlives every process but
// the one that made it. All words in it are accessed atomically. So all methods but Close may be called by any number
// of goroutines and processes at once. Make it, and map it in other processes, with [OpenRecord].
type Record struct {
	Geometry
	file   *os.File
	data   []byte
	head   *head
	last   []atomic.Int64  // by worker ID: one more than the newest tick drawn of, 0 if none
	owners []atomic.Uint32 // by run: the drawer who was first
	at     int64           // where the words begin
	words  []uint64
}

// head is the beginning of the memory. The test's own data follows it.
type head struct {
	kinds      [Kinds]atomic.Uint64 // how many violations of each kind there are
	recorded   atomic.Uint64        // how many of violations are taken
	violations [maxViolations]Violation
	_          [64]byte
}

const maxViolations = 256

// OpenRecord maps the record of another process from its File. Without a file it makes one, in which nothing is marked.
// Own is data of the test, zero at first, which must hold atomic words only and no pointers. Memory is used for what is
// marked.
func OpenRecord[Own any](g Geometry, file *os.File) (r *Record, own *Own, err error) {
	ids, words := g.Layout.MaxWorkerID()+1, (g.Size()+g.Numbers+63)/64
	last := pages(int64(unsafe.Sizeof(head{}) + unsafe.Sizeof(*own)))
	owners := last + pages(8*ids)
	r = &Record{Geometry: g, file: file, at: owners + pages(4*g.Runs())}
	size := pages(r.at + 8*words)
	if file == nil {
		if r.file, err = anonymousFile(); err == nil {
			err = r.file.Truncate(size)
		}
	}
	if err == nil {
		const access = unix.PROT_READ | unix.PROT_WRITE
		r.data, err = unix.Mmap(int(r.file.Fd()), 0, int(size), access, unix.MAP_SHARED|noReserve)
	}
	if err != nil {
		if file == nil && r.file != nil {
			r.file.Close()
		}
		return nil, nil, fmt.Errorf("harness: shared memory of %d bytes of addresses: %w", size, err)
	}
	start := unsafe.Pointer(unsafe.SliceData(r.data))
	r.head = (*head)(start)
	r.last = unsafe.Slice((*atomic.Int64)(unsafe.Add(start, last)), ids)
	r.owners = unsafe.Slice((*atomic.Uint32)(unsafe.Add(start, owners)), g.Runs())
	r.words = unsafe.Slice((*uint64)(unsafe.Add(start, r.at)), words)
	return r, (*Own)(unsafe.Add(start, unsafe.Sizeof(head{}))), nil
}

// pages rounds up to whole pages.
func pages(n int64) int64 {
	const page = 1 << 16
	return (n + page - 1) &^ (page - 1)
}

// File returns the file for other processes to open.
func (r *Record) File() *os.File { return r.file }

// Close unmaps the memory, including the Own. The memory is freed when all have closed it.
func (r *Record) Close() {
	_ = unix.Munmap(r.data)
	r.file.Close()
}

// Mark records a UID that was just drawn.
func (r *Record) Mark(u uid.UID, by Drawer) {
	bit, ok := r.Bit(u)
	if !ok {
		r.Report(Outside, by, u, r.First)
		return
	}
	r.Enter(bit>>r.Layout.SequenceBits(), u, by)
	r.Set(bit, u, by)
}

// MarkNumber records a number that was just drawn.
func (r *Record) MarkNumber(n int64, by Drawer) {
	if n < 0 || n >= r.Numbers {
		r.Report(Outside, by, uid.UID(n), 0)
		return
	}
	r.Set(r.Size()+n, uid.UID(n), by)
}

// Enter is the part of Mark that a tick and worker ID need once: it notes who drew from them
// first. run is the UID's bit without its sequence.
func (r *Record) Enter(run int64, u uid.UID, by Drawer) {
	tick, workerID := r.Run(run)
	if owner := &r.owners[run]; !owner.CompareAndSwap(0, uint32(by)) {
		if first := Drawer(owner.Load()); first.Process() != by.Process() {
			r.Report(SharedTick, by, u, int64(first))
		}
	}
	Raise(&r.last[workerID], tick+1)
}

// Set is the other part of Mark: it sets the UID's bit.
func (r *Record) Set(bit int64, u uid.UID, by Drawer) {
	mask := uint64(1) << (bit & 63)
	if atomic.OrUint64(&r.words[bit>>6], mask)&mask != 0 {
		r.Report(Duplicate, by, u, 0)
	}
}

// Newest returns the last tick of a worker ID from which a UID was drawn, or -1.
func (r *Record) Newest(workerID int64) int64 { return r.last[workerID].Load() - 1 }

// Report counts a violation, and records it if there is room.
func (r *Record) Report(k Kind, by Drawer, u uid.UID, bound int64) {
	owner := Drawer(0)
	if bit, ok := r.Bit(u); ok {
		owner = Drawer(r.owners[bit>>r.Layout.SequenceBits()].Load())
	}
	r.head.kinds[k].Add(1)
	i := r.head.recorded.Add(1) - 1
	if i >= maxViolations {
		return
	}
	v := &r.head.violations[i]
	v.kind, v.drawn, v.owner = uint32(k), uint32(by), uint32(owner)
	v.number, v.bound = int64(u), bound
	v.ready.Store(1)
}

// Violations returns what was recorded.
func (r *Record) Violations() []*Violation {
	var all []*Violation
	for i := range min(r.head.recorded.Load(), maxViolations) {
		if v := &r.head.violations[i]; v.ready.Load() == 1 {
			all = append(all, v)
		}
	}
	return all
}

// Found returns how many violations of a kind there are.
func (r *Record) Found(k Kind) uint64 { return r.head.kinds[k].Load() }

// AnyFound reports whether there is any violation.
func (r *Record) AnyFound() bool { return r.head.recorded.Load() > 0 }

// Holes returns the runs of numbers, from first on and below next, that are not marked: the first
// and the last number of each.
func (r *Record) Holes(first, next int64) iter.Seq2[int64, int64] {
	return func(yield func(first, last int64) bool) {
		for at := first; ; {
			from := r.find(at, next, false)
			if from >= next {
				return
			}
			at = r.find(from, next, true)
			if !yield(from, at-1) {
				return
			}
		}
	}
}

// find returns the first number from at on that is marked, or that is not, or next when there is none below it.
func (r *Record) find(at, next int64, marked bool) int64 {
	base := r.Size()
	for at, next = at+base, next+base; at < next; at = (at | 63) + 1 {
		word := atomic.LoadUint64(&r.words[at>>6])
		if !marked {
			word = ^word
		}
		if word >>= uint(at & 63); word != 0 {
			return min(next, at+int64(bits.TrailingZeros64(word))) - base
		}
	}
	return next - base
}

// Count returns how many bits are set and how many bytes of memory are in use. It reads only pages
// that exist.
func (r *Record) Count() (set uint64, bytes int64, err error) {
	for from, to := int64(0), r.at; ; {
		from, err = r.file.Seek(to, unix.SEEK_DATA)
		if errors.Is(err, syscall.ENXIO) {
			return set, bytes, nil // no more pages
		}
		if err == nil {
			to, err = r.file.Seek(from, unix.SEEK_HOLE)
		}
		if err != nil {
			return 0, 0, fmt.Errorf("harness: count: %w", err)
		}
		bytes += to - from
		for at := (from - r.at) / 8; at < min((to-r.at)/8, int64(len(r.words))); at++ {
			set += uint64(bits.OnesCount64(atomic.LoadUint64(&r.words[at])))
		}
	}
}

// Raise makes an atomic number at least n.
func Raise(a *atomic.Int64, n int64) {
	for {
		old := a.Load()
		if old >= n || a.CompareAndSwap(old, n) {
			return
		}
	}
}
