package record

import (
	"fmt"
	"iter"
	"math/bits"
	"os"
	"sync/atomic"
	"unsafe"
)

// Numbers keeps a bit for each of the numbers from 0 on, which the processes of a test have drawn
// without gaps, or nearly so. It is shared as a [Record] is: all methods but Close may be called by any number of
// goroutines and processes at once. Make it with [NewNumbers], and map it in other processes with
// [OpenNumbers].
type Numbers struct {
	file *os.File
	data []byte
	most int64 // how many numbers have a bit
	head *numbersHead
	bits []uint64
}

// numbersHead is the beginning of the memory. The test's own data follows it.
type numbersHead struct {
	outside  atomic.Uint64 // numbers without a bit
	doubles  atomic.Uint64 // numbers that were marked before
	recorded atomic.Uint64 // how many of found are taken
	found    [maxViolations]Double
	_        [64]byte
}

// A Double is a number that came again.
type Double struct {
	ready  atomic.Uint32 // set when the rest is written
	by     uint32
	number int64
}

// Number returns the number, and By who got it when another one had it.
func (d *Double) Number() int64 { return d.number }
func (d *Double) By() Drawer    { return Drawer(d.by) }

// numbersOffsets returns where the bits begin, and the end.
func numbersOffsets(most int64, own uintptr) (bitmap, end int64) {
	const page = 1 << 16
	up := func(n int64) int64 { return (n + page - 1) &^ (page - 1) }
	bitmap = up(int64(unsafe.Sizeof(numbersHead{}) + own))
	return bitmap, up(bitmap + (most+63)/64*8)
}

// NewNumbers keeps bits for the numbers below most, none of which is marked. Own is data of the test,
// zero at first, which must hold atomic words only and no pointers. Memory is used for what is marked.
func NewNumbers[Own any](most int64) (*Numbers, *Own, error) {
	_, end := numbersOffsets(most, unsafe.Sizeof(*new(Own)))
	file, err := sharedFile(end)
	if err != nil {
		return nil, nil, err
	}
	n, own, err := OpenNumbers[Own](most, file)
	if err != nil {
		file.Close()
	}
	return n, own, err
}

// OpenNumbers maps the numbers of another process, from their File.
func OpenNumbers[Own any](most int64, file *os.File) (*Numbers, *Own, error) {
	bitmap, end := numbersOffsets(most, unsafe.Sizeof(*new(Own)))
	data, err := mapShared(file, end)
	if err != nil {
		return nil, nil, fmt.Errorf("record: map %d bytes of shared memory: %w", end, err)
	}
	start := unsafe.Pointer(unsafe.SliceData(data))
	return &Numbers{
		file: file, data: data, most: most, head: (*numbersHead)(start),
		bits: unsafe.Slice((*uint64)(unsafe.Add(start, bitmap)), (most+63)/64),
	}, (*Own)(unsafe.Add(start, unsafe.Sizeof(numbersHead{}))), nil
}

// File returns the file for other processes to open.
func (n *Numbers) File() *os.File { return n.file }

// Close unmaps the memory, including the Own. The memory is freed when all have closed it.
func (n *Numbers) Close() {
	_ = unmap(n.data)
	n.file.Close()
}

// Mark notes that the numbers from first to last were drawn. It sets up to 64 bits at once, and sees each
// that was set.
func (n *Numbers) Mark(first, last int64, by Drawer) {
	if first < 0 || last >= n.most {
		n.head.outside.Add(uint64(last - first + 1))
		return
	}
	for first <= last {
		bit := uint(first & 63)
		until := min(last, first|63)
		mask := ^uint64(0) >> (63 - uint(until-first)) << bit
		if again := atomic.OrUint64(&n.bits[first>>6], mask) & mask; again != 0 {
			n.again(first&^63, again, by)
		}
		first = until + 1
	}
}

// again notes the numbers that came again, which are the bits of a word.
func (n *Numbers) again(base int64, word uint64, by Drawer) {
	n.head.doubles.Add(uint64(bits.OnesCount64(word)))
	for ; word != 0; word &= word - 1 {
		i := n.head.recorded.Add(1) - 1
		if i >= maxViolations {
			return
		}
		d := &n.head.found[i]
		d.by, d.number = uint32(by), base+int64(bits.TrailingZeros64(word))
		d.ready.Store(1)
	}
}

// Doubles returns how many numbers were marked that had been marked before, and Outside how many
// have no bit.
func (n *Numbers) Doubles() uint64 { return n.head.doubles.Load() }
func (n *Numbers) Outside() uint64 { return n.head.outside.Load() }

// Found returns the first of the numbers that came again.
func (n *Numbers) Found() (all []*Double) {
	for i := range min(n.head.recorded.Load(), maxViolations) {
		if d := &n.head.found[i]; d.ready.Load() == 1 {
			all = append(all, d)
		}
	}
	return all
}

// Holes returns the runs of numbers, from first on and below next, that are not marked: the first
// and the last number of each.
func (n *Numbers) Holes(first, next int64) iter.Seq2[int64, int64] {
	return func(yield func(first, last int64) bool) {
		for at := first; ; {
			from := n.find(at, next, false)
			if from >= next {
				return
			}
			at = n.find(from, next, true)
			if !yield(from, at-1) {
				return
			}
		}
	}
}

// find returns the first number from at on that is marked, or that is not, or next when there is none below it.
func (n *Numbers) find(at, next int64, marked bool) int64 {
	for at < next {
		word := atomic.LoadUint64(&n.bits[at>>6])
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
