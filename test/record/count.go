package record

import (
	"errors"
	"fmt"
	"math/bits"
	"syscall"
	"unsafe"
)

// Count returns how many bits are set and how many bytes of memory are in use. It reads
// only pages that exist.
func (r *Record) Count() (set uint64, bytes int64, err error) {
	_, _, bitmap, end := r.offsets(r.own)
	buf := make([]byte, 1<<20)
	for at := bitmap; at < end; {
		from, err := r.file.Seek(at, seekData)
		if errors.Is(err, syscall.ENXIO) {
			break // no more pages
		}
		if err != nil {
			return 0, 0, fmt.Errorf("record: count: %w", err)
		}
		to, err := r.file.Seek(from, seekHole)
		if err != nil {
			return 0, 0, fmt.Errorf("record: count: %w", err)
		}
		for from < to {
			n, err := r.file.ReadAt(buf[:min(int64(len(buf)), to-from)], from)
			if err != nil && n == 0 {
				return 0, 0, fmt.Errorf("record: count: %w", err)
			}
			set += ones(buf[:n])
			bytes += int64(n)
			from += int64(n)
		}
		at = to
	}
	return set, bytes, nil
}

func ones(b []byte) (n uint64) {
	for ; len(b) >= 8; b = b[8:] {
		n += uint64(bits.OnesCount64(*(*uint64)(unsafe.Pointer(unsafe.SliceData(b)))))
	}
	return n
}
