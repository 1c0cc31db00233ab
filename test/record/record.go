package record

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"github.com/uidgen/uid"
)

// A Record is a file without a name that processes share: each maps it into memory, and it
// outlives every process but the one that made it. All words in it are accessed atomically.
// So all methods but Close may be called by any number of goroutines and processes at once.
// Make it with [New], and map it in other processes with [Open].
type Record struct {
	Geometry
	file *os.File
	data []byte
	own  uintptr // the size of the test's own data

	head   *head
	last   []atomic.Int64  // by worker ID: one more than the newest tick drawn of, 0 if none
	owners []atomic.Uint32 // by run: the drawer who was first
	bits   []uint64        // by UID
}

// head is the beginning of the memory. The test's own data follows it.
type head struct {
	kinds      [Kinds]atomic.Uint64 // how many violations of each kind there are
	recorded   atomic.Uint64        // how many of violations are taken
	violations [maxViolations]Violation
	_          [64]byte
}

const maxViolations = 256

// offsets returns where the parts begin, and the end.
func (g Geometry) offsets(own uintptr) (last, owners, bitmap, end int64) {
	const page = 1 << 16
	up := func(n int64) int64 { return (n + page - 1) &^ (page - 1) }
	last = up(int64(unsafe.Sizeof(head{}) + own))
	owners = up(last + 8*(g.Layout.MaxWorkerID()+1))
	bitmap = up(owners + 4*g.Runs())
	end = up(bitmap + (g.Size()+7)/8)
	return last, owners, bitmap, end
}

// New makes an empty record, with a zero Own for data of the test, which must hold atomic
// words only and no pointers.
func New[Own any](g Geometry) (*Record, *Own, error) {
	_, _, _, end := g.offsets(unsafe.Sizeof(*new(Own)))
	file, err := sharedFile(end)
	if err != nil {
		return nil, nil, err
	}
	r, own, err := Open[Own](g, file)
	if err != nil {
		file.Close()
	}
	return r, own, err
}

// sharedFile returns a file without a name, of so many zeros.
func sharedFile(size int64) (*os.File, error) {
	file, err := anonymousFile()
	if err != nil {
		return nil, fmt.Errorf("record: shared memory: %w", err)
	}
	if err := file.Truncate(size); err != nil {
		file.Close()
		return nil, fmt.Errorf("record: shared memory of %d bytes of addresses: %w", size, err)
	}
	return file, nil
}

// Open maps the record of another process, from its File.
func Open[Own any](g Geometry, file *os.File) (*Record, *Own, error) {
	size := unsafe.Sizeof(*new(Own))
	last, owners, bitmap, end := g.offsets(size)
	data, err := mapShared(file, end)
	if err != nil {
		return nil, nil, fmt.Errorf("record: map %d bytes of shared memory: %w", end, err)
	}
	start := unsafe.Pointer(unsafe.SliceData(data))
	return &Record{
		Geometry: g, file: file, data: data, own: size,
		head:   (*head)(start),
		last:   unsafe.Slice((*atomic.Int64)(unsafe.Add(start, last)), g.Layout.MaxWorkerID()+1),
		owners: unsafe.Slice((*atomic.Uint32)(unsafe.Add(start, owners)), g.Runs()),
		bits:   unsafe.Slice((*uint64)(unsafe.Add(start, bitmap)), (g.Size()+63)/64),
	}, (*Own)(unsafe.Add(start, unsafe.Sizeof(head{}))), nil
}

// File returns the file for other processes to Open.
func (r *Record) File() *os.File { return r.file }

// Close unmaps the memory, including the Own. The memory is freed when all have closed it.
func (r *Record) Close() {
	_ = unmap(r.data)
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
	if mask := uint64(1) << (bit & 63); atomic.OrUint64(&r.bits[bit>>6], mask)&mask != 0 {
		r.Report(Duplicate, by, u, 0)
	}
}

// Newest returns the last tick of a worker ID from which a UID was drawn, or -1.
func (r *Record) Newest(workerID int64) int64 { return r.last[workerID].Load() - 1 }

// SetNewest is for tests of the users of Newest.
func (r *Record) SetNewest(workerID, tick int64) { r.last[workerID].Store(tick + 1) }

// Raise makes an atomic number at least n.
func Raise(a *atomic.Int64, n int64) {
	for {
		old := a.Load()
		if old >= n || a.CompareAndSwap(old, n) {
			return
		}
	}
}
