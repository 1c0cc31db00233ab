package uid

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"
)

// Parts is a UID taken apart by a layout. It is comparable.
type Parts struct {
	UID UID `json:"uid"`
	// Time is when the UID's tick begins, in UTC.
	Time     time.Time `json:"time"`
	WorkerID int64     `json:"worker_id"`
	Sequence int64     `json:"sequence"`
	// Fields describes the parts of the worker ID, the highest bits first, where the layout splits it:
	// "datacenter:5,worker:5".
	Fields string `json:"-"`
}

// Field is a named part of a layout's worker ID, such as a datacenter.
type Field struct {
	// Name is 1 to 16 lower-case ASCII letters, digits, '_' and '-', a letter first.
	Name string
	// Bits is the width, at least 1.
	Bits int
}

// Machine returns the name and value of each part of the worker ID, in the order of Fields.
func (p Parts) Machine() iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		fields, shift := parseFields(p.Fields)
		for _, f := range fields {
			shift -= f.Bits
			if !yield(f.Name, p.WorkerID>>shift&(1<<f.Bits-1)) {
				return
			}
		}
	}
}

// parseFields reads the Fields of Parts, and how many bits they have; nothing if a program has set them
// to what no layout has.
func parseFields(text string) (fields []Field, bits int) {
	if text == "" {
		return nil, 0
	}
	for part := range strings.SplitSeq(text, ",") {
		name, width, _ := strings.Cut(part, ":")
		n, err := strconv.Atoi(width)
		if err != nil || n < 1 || n > 63-bits || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
			return nil, 0
		}
		fields, bits = append(fields, Field{Name: name, Bits: n}), bits+n
	}
	return fields, bits
}

// String returns the parts in one line for people:
//
//	180363646902239241: 2016-07-19T10:07:53Z, worker 4, sequence 9
//	1541815603606036480: 2022-06-28T16:07:40.105Z, worker 378 (datacenter 11, worker 26), sequence 0
func (p Parts) String() string {
	machine := p.machineText("%s %d", ", ")
	if machine != "" {
		machine = " (" + machine + ")"
	}
	return fmt.Sprintf("%d: %s, worker %d%s, sequence %d",
		int64(p.UID), p.Time.Format(time.RFC3339Nano), p.WorkerID, machine, p.Sequence)
}

// machineText returns the names and values of Machine, each in a format, or "" if there are none.
func (p Parts) machineText(format, separator string) string {
	var all []string
	for name, value := range p.Machine() {
		all = append(all, fmt.Sprintf(format, name, value))
	}
	return strings.Join(all, separator)
}

// MarshalJSON returns an object with the keys uid (a quoted decimal), time (RFC 3339), worker_id, machine (an object of
// the Fields, if any) and sequence, or ErrRange when the UID is negative. encoding/json reads all but machine back.
func (p Parts) MarshalJSON() ([]byte, error) {
	if p.UID < 0 {
		return nil, negativeError(int64(p.UID))
	}
	machine := p.machineText(`"%s":%d`, ",") // the letters of names need no escape
	if machine != "" {
		machine = `"machine":{` + machine + `},`
	}
	// Not Time.MarshalJSON: that refuses the years past 9999 which a wide time
	// field can hold.
	return fmt.Appendf(nil, `{"uid":"%d","time":"%s","worker_id":%d,%s"sequence":%d}`,
		int64(p.UID), p.Time.Format(time.RFC3339Nano), p.WorkerID, machine, p.Sequence), nil
}
