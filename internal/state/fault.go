package state

import (
	"bytes"
	"errors"
	"fmt"
	"os"
)

// What is here is for tests of the packages that use this one.

// ErrFull is the error of writes after [File.Fill].
var ErrFull = errors.New("no space left on device")

// Fill makes every write fail, as on a full disk, until undo is called.
func (f *File) Fill() (undo func()) { return f.FillAfter(0) }

// FillAfter is Fill once that many writes went well.
func (f *File) FillAfter(writes int) (undo func()) {
	healthy := f.disk
	f.disk = &fullDisk{healthy, writes}
	return func() { f.disk = healthy }
}

type fullDisk struct {
	disk
	left int // writes that go well
}

func (d *fullDisk) WriteAt(p []byte, off int64) (int, error) {
	if d.left--; d.left < 0 {
		return 0, ErrFull
	}
	return d.disk.WriteAt(p, off)
}

// Damage flips a bit of the newest record of a file that nobody has open. Bits are counted from 0
// up to [Bits].
func Damage(path string, bit int) error {
	image, newest, err := inspect(path)
	if err != nil {
		return err
	}
	image[slotOffset(slotIndex(newest.Sequence))+int64(bit/8)] ^= 1 << (bit % 8)
	return os.WriteFile(path, image, 0o644)
}

// Bits is how many bits a record has.
const Bits = 8 * pageSize

// Saved returns how many records were ever saved in a file.
func Saved(path string) (int64, error) {
	_, newest, err := inspect(path)
	return newest.Sequence, err
}

func inspect(path string) (image []byte, newest slot, err error) {
	if image, err = os.ReadFile(path); err == nil {
		newest, _, _, err = newestSlot(bytes.NewReader(image))
	}
	if err == nil && newest.Sequence == 0 {
		err = fmt.Errorf("%s has no record", path)
	}
	return image, newest, err
}
