package harness

import (
	"os"
	"sync/atomic"
	"unsafe"

	"github.com/uidgen/uid"
)

// A Record is the bits of all UIDs of a Geometry, and who was the first to draw of each tick of a worker
// ID. Make it, and map it in other processes, with [OpenRecord].
type Record struct {
	Geometry
	*Bits
	last   []atomic.Int64  // by worker ID: one more than the newest tick drawn of, 0 if none
	owners []atomic.Uint32 // by run: the drawer who was first
}

// OpenRecord is [OpenNumbers] for UIDs.
func OpenRecord[Own any](g Geometry, file *os.File) (*Record, *Own, error) {
	ids := g.Layout.MaxWorkerID() + 1
	last := pages(8 * ids)
	b, own, extra, err := open[Own](g.Size(), last+pages(4*g.Runs()), file)
	if err != nil {
		return nil, nil, err
	}
	return &Record{
		Geometry: g, Bits: b,
		last:   unsafe.Slice((*atomic.Int64)(extra), ids),
		owners: unsafe.Slice((*atomic.Uint32)(unsafe.Add(extra, last)), g.Runs()),
	}, own, nil
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
	if r.set(bit) {
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
	r.report(k, by, owner, int64(u), bound)
}
