package harness

import (
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"os"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Bits has one bit for each of the numbers from 0 on, in a file without a name that processes share: each
// maps it into memory, and it outlives every process but the one that made it. All words in it are
// accessed atomically. So all methods but Close may be called by any number of goroutines and processes
// at once. Make it, and map it in other processes, with [OpenNumbers].
type Bits struct {
	file  *os.File
	data  []byte
	at    int64 // where the words begin
	most  int64 // how many numbers have a bit
	head  *head
	words []uint64
}

// head is the beginning of the memory. The test's own data follows it.
type head struct {
	kinds      [Kinds]atomic.Uint64 // how many violations of each kind there are
	recorded   atomic.Uint64        // how many of violations are taken
	violations [maxViolations]Violation
	_          [64]byte
}

const maxViolations = 256

// OpenNumbers maps the numbers of another process, which are below most, from their File. Without a file it
// makes some, none of which is marked. Own is data of the test, zero at first, which must hold atomic
// words only and no pointers. Memory is used for what is marked.
func OpenNumbers[Own any](most int64, file *os.File) (*Bits, *Own, error) {
	b, own, _, err := open[Own](most, 0, file)
	return b, own, err
}

// open is OpenNumbers with more data in front of the bits, of which it returns the beginning.
func open[Own any](most, more int64, file *os.File) (b *Bits, own *Own, extra unsafe.Pointer, err error) {
	at := pages(int64(unsafe.Sizeof(head{}) + unsafe.Sizeof(*own)))
	b = &Bits{file: file, at: at + more, most: most}
	size := pages(b.at + (most+63)/64*8)
	if file == nil {
		if b.file, err = anonymousFile(); err == nil {
			err = b.file.Truncate(size)
		}
	}
	if err == nil {
		const access = unix.PROT_READ | unix.PROT_WRITE
		b.data, err = unix.Mmap(int(b.file.Fd()), 0, int(size), access, unix.MAP_SHARED|noReserve)
	}
	if err != nil {
		if file == nil && b.file != nil {
			b.file.Close()
		}
		return nil, nil, nil, fmt.Errorf("harness: shared memory of %d bytes of addresses: %w", size, err)
	}
	start := unsafe.Pointer(unsafe.SliceData(b.data))
	b.head = (*head)(start)
	b.words = unsafe.Slice((*uint64)(unsafe.Add(start, b.at)), (most+63)/64)
	return b, (*Own)(unsafe.Add(start, unsafe.Sizeof(head{}))), unsafe.Add(start, at), nil
}

// pages rounds up to whole pages.
func pages(n int64) int64 {
	const page = 1 << 16
	return (n + page - 1) &^ (page - 1)
}

// File returns the file for other processes to open.
func (b *Bits) File() *os.File { return b.file }

// Close unmaps the memory, including the Own. The memory is freed when all have closed it.
func (b *Bits) Close() {
	_ = unix.Munmap(b.data)
	b.file.Close()
}

// MarkAll notes that the numbers from first to last were drawn. It sets up to 64 bits at once, and sees
// each that was set.
func (b *Bits) MarkAll(first, last int64, by Drawer) {
	if first < 0 || last >= b.most {
		b.report(Outside, by, 0, first, last)
		return
	}
	for first <= last {
		until := min(last, first|63)
		mask := ^uint64(0) >> (63 - uint(until-first)) << uint(first&63)
		for again := atomic.OrUint64(&b.words[first>>6], mask) & mask; again != 0; again &= again - 1 {
			b.report(Duplicate, by, 0, first&^63+int64(bits.TrailingZeros64(again)), 0)
		}
		first = until + 1
	}
}

// set marks one number, and reports whether it was marked before.
func (b *Bits) set(number int64) bool {
	mask := uint64(1) << (number & 63)
	return atomic.OrUint64(&b.words[number>>6], mask)&mask != 0
}

// report counts a violation, and records it if there is room.
func (b *Bits) report(k Kind, by, owner Drawer, number, bound int64) {
	b.head.kinds[k].Add(1)
	i := b.head.recorded.Add(1) - 1
	if i >= maxViolations {
		return
	}
	v := &b.head.violations[i]
	v.kind, v.drawn, v.owner = uint32(k), uint32(by), uint32(owner)
	v.number, v.bound, v.at = number, bound, time.Now().UnixNano()
	v.ready.Store(1)
}

// Violations returns what was recorded.
func (b *Bits) Violations() []*Violation {
	var all []*Violation
	for i := range min(b.head.recorded.Load(), maxViolations) {
		if v := &b.head.violations[i]; v.ready.Load() == 1 {
			all = append(all, v)
		}
	}
	return all
}

// Found returns how many violations of a kind there are.
func (b *Bits) Found(k Kind) uint64 { return b.head.kinds[k].Load() }

// AnyFound reports whether there is any violation.
func (b *Bits) AnyFound() bool { return b.head.recorded.Load() > 0 }

// Holes returns the runs of numbers, from first on and below next, that are not marked: the first
// and the last number of each.
func (b *Bits) Holes(first, next int64) iter.Seq2[int64, int64] {
	return func(yield func(first, last int64) bool) {
		for at := first; ; {
			from := b.find(at, next, false)
			if from >= next {
				return
			}
			at = b.find(from, next, true)
			if !yield(from, at-1) {
				return
			}
		}
	}
}

// find returns the first number from at on that is marked, or that is not, or next when there is none below it.
func (b *Bits) find(at, next int64, marked bool) int64 {
	for at < next {
		word := atomic.LoadUint64(&b.words[at>>6])
		if !marked {
			word = ^word
		}
		if word >>= uint(at & 63); word != 0 {
			return min(next, at+int64(bits.TrailingZeros64(word)))
		}
		at = (at | 63) + 1
	}
	return next
}

// Count returns how many bits are set and how many bytes of memory are in use. It reads only pages
// that exist.
func (b *Bits) Count() (set uint64, bytes int64, err error) {
	for from, to := int64(0), b.at; ; {
		from, err = b.file.Seek(to, unix.SEEK_DATA)
		if errors.Is(err, syscall.ENXIO) {
			return set, bytes, nil // no more pages
		}
		if err == nil {
			to, err = b.file.Seek(from, unix.SEEK_HOLE)
		}
		if err != nil {
			return 0, 0, fmt.Errorf("harness: count: %w", err)
		}
		bytes += to - from
		for at := (from - b.at) / 8; at < min((to-b.at)/8, int64(len(b.words))); at++ {
			set += uint64(bits.OnesCount64(atomic.LoadUint64(&b.words[at])))
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
