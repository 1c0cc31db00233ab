package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/uidgen/uid"
)

// A state file is three pages of JSON, one value each, padded with spaces: a note for people who
// find the file, and two slots. Each save goes to the slot that does not hold the newest record,
// so that an interrupted save, at whatever byte, leaves the newest record alone. Pages keep the
// slots out of each other's sectors.
//
//	{"file":"..."}
//	{"crc32c":"5f3a0c11","version":1,"sequence":7,"pid":4711,"kind":"fixed", ...}
//	{"crc32c":"90b1d2e4","version":1,"sequence":8,"pid":4711,"kind":"fixed", ...}
//
// The checksum covers the rest of its page, byte for byte. The lock is on the file itself. On
// Windows it is on the first byte only, because others cannot read locked bytes, and do not need
// that one.
const pageSize = 4096

const note = `{"file":"ticks reserved under a uid worker ID; ` +
	`written while in use, not to be edited, copied or restored"}`

// slotIndex returns the slot that the save with that sequence number goes to.
func slotIndex(sequence int64) int64 { return (sequence + 1) % 2 }

// slotOffset returns where a slot begins.
func slotOffset(index int64) int64 { return (index + 1) * pageSize }

// readPage returns a slot's page, or as much of it as the file has.
func readPage(r io.ReaderAt, index int64) ([]byte, error) {
	page := make([]byte, pageSize)
	n, err := r.ReadAt(page, slotOffset(index))
	if err != nil && err != io.EOF {
		return nil, err
	}
	return page[:n], nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sum returns the beginning of a page with this rest.
func sum(rest []byte) []byte {
	return fmt.Appendf(nil, `{"crc32c":"%08x",`, crc32.Checksum(rest, castagnoli))
}

// sumLen is the length of what sum returns.
const sumLen = len(`{"crc32c":"00000000",`)

// parsePage reads a slot's page. It reports false when the page is damaged. It returns an error
// when the page is intact but of another form: another version wrote it, and the other page must
// not be used instead.
func parsePage(page []byte) (s slot, intact bool, err error) {
	if len(page) != pageSize || !bytes.Equal(page[:sumLen], sum(page[sumLen:])) {
		return s, false, nil
	}
	text := append([]byte("{"), page[sumLen:]...)
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return slot{}, false, fmt.Errorf("a record of another version of the program: %w", err)
	}
	if d.More() || s.Version != version || s.Sequence < 1 || s.NextGranted < s.Granted {
		return slot{}, false, fmt.Errorf("a record of another version of the program: "+
			"version %d, sequence %d, high %d, next %d", s.Version, s.Sequence, s.Granted, s.NextGranted)
	}
	return s, true, nil
}

// formatPage returns the page that parsePage reads as s, or uid.ErrRange when there is none.
func formatPage(s slot) ([]byte, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	if n := sumLen + len(text); n > pageSize { // the brace makes room for the newline
		return nil, fmt.Errorf("%w: it has %d bytes, a slot %d", uid.ErrRange, n, pageSize)
	}
	rest := pad(text[1:], pageSize-sumLen)
	page := append(sum(rest), rest...)
	if back, intact, err := parsePage(page); err != nil || !intact || back != s {
		return nil, fmt.Errorf("%w: it cannot be read back: is one of its texts not valid UTF-8?", uid.ErrRange)
	}
	return page, nil
}

// pad returns text, which must be shorter than n bytes, with spaces and a newline up to n bytes.
func pad(text []byte, n int) []byte {
	padded := bytes.Repeat([]byte(" "), n)
	copy(padded, text)
	padded[n-1] = '\n'
	return padded
}

// blankPage is the second slot until the second save.
var blankPage = pad([]byte("{}"), pageSize)
