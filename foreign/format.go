package foreign

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/presets"
)

// Parts is a number taken apart. Its JSON is that of uid.Parts.
type Parts struct {
	ID int64 `json:"uid,string"`
	// Time is the instant at which the number's tick begins, in UTC.
	Time time.Time `json:"time"`
	// Machine is what the format calls a machine or a worker ID.
	Machine  int64 `json:"worker_id"`
	Sequence int64 `json:"sequence"`
}

// MarshalJSON never fails.
func (p Parts) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"uid":"%d","time":"%s","worker_id":%d,"sequence":%d}`,
		p.ID, p.Time.Format(time.RFC3339Nano), p.Machine, p.Sequence), nil
}

// A Format reads the numbers of another generator. [ParseFormat] makes one.
type Format interface {
	// Name is the one by which ParseFormat finds the format.
	Name() string
	// String describes the format completely, as ParseFormat reads it.
	String() string
	// Layout returns a layout with the same widths, unit and epoch; use it for the time alone.
	Layout() bits.Layout
	// Fields returns the parts of a number with their widths, the highest bits first.
	Fields() []uid.Field
	// Parse takes id apart. It returns ErrRange when the generator cannot have made it.
	Parse(id int64) (Parts, error)
}

// formats are the formats as they are by default, in the order of presets.Formats.
var formats = []Format{sonyflakeV1, sonyflakeV2, original}

// ParseFormat reads a format from a text for people to type: a name (sonyflake is version 1, sonyflake2 version 2,
// uidgenerator Baidu's UidGenerator), and what differs from its defaults, in the form of bits.ParseLayout:
//
//	sonyflake
//	sonyflake2 epoch=2026-06-01T00:00:00Z
//	sonyflake2 40/7/16 unit=1ms epoch=2026-06-01T00:00:00Z
//	uidgenerator 29/21/13 epoch=2016-05-19T16:00:00Z
//
// The widths are those of time, sequence and machine for Sonyflake, of time, worker and sequence for UidGenerator. The
// epoch of a Sonyflake is its StartTime, rounded down to a multiple of the unit since 1970.
//
// It returns ErrSyntax when the text is anything else, the errors of bits.ParseLayout, and ErrConfig when the generator
// does not allow a width or a unit: Sonyflake has 1 to 30 bits of sequence and of machine, 32 or more of time, 63 in
// all, and a unit of 1 ms or more; UidGenerator has 63 bits, and ticks of a second.
func ParseFormat(text string) (Format, error) {
	words := strings.Fields(text)
	for _, f := range formats {
		if len(words) > 0 && f.Name() == words[0] {
			return parseOptions(f, words[1:])
		}
	}
	return nil, fmt.Errorf("%w: %.60q names no format: there are %s",
		uid.ErrSyntax, text, strings.Join(presets.Formats(), ", "))
}

// parseOptions returns f with what the words say of it.
func parseOptions(f Format, words []string) (Format, error) {
	if len(words) == 0 {
		return f, nil
	}
	// All that the words leave out is f's: the text of a whole layout.
	defaults := strings.Fields(f.Layout().String())
	widths, unit, epoch := defaults[0], defaults[1], defaults[2]
	if strings.Contains(words[0], "/") {
		widths, words = words[0], words[1:]
	}
	if says(words, "unit=") || strings.ContainsAny(widths, "nsumh") {
		unit = ""
	}
	if says(words, "epoch=") {
		epoch = ""
	}
	l, err := bits.ParseLayout(strings.Join(append([]string{widths, unit, epoch}, words...), " "))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	var made Format
	if _, ok := f.(uidGenerator); ok {
		made, err = newUidGenerator(l)
	} else {
		made, err = newSonyflake(l)
	}
	if err != nil {
		return nil, err
	}
	return made, nil
}

// says reports whether a word begins with the key.
func says(words []string, key string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, key) })
}
