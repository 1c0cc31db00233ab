package uid

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// Field is a named part of a layout's worker ID field: a datacenter, a rack, a
// worker.
type Field struct {
	// Name is 1 to 16 lower-case ASCII letters, digits, '_' and '-', beginning
	// with a letter.
	Name string
	// Bits is the width of the part, at least 1.
	Bits int
}

// Split divides the worker ID field into up to 8 named parts, the first one in the
// highest bits. It is an immutable value: two are == exactly if they have the
// same parts in the same order. The zero Split has no parts; the worker ID is
// then one number.
type Split struct {
	// text is the parts as String returns them. Unlike a slice it keeps Split, and with
	// it Parts and bits.Layout, comparable and free to copy. It is taken apart only when
	// a person wants to see the parts.
	text string
}

const (
	maxFields    = 8
	maxFieldName = 16
)

// NewSplit makes a Split of the given parts; without parts it is the zero Split. It
// returns ErrConfig when there are more than 8 parts, a width is below 1 or the widths
// add up to more than 63, and ErrSyntax when a name is not allowed or appears twice.
func NewSplit(fields ...Field) (Split, error) {
	if len(fields) > maxFields {
		return Split{}, fmt.Errorf("%w: %d named parts of the worker ID, at most %d", ErrConfig, len(fields), maxFields)
	}
	var b strings.Builder
	sum := 0
	seen := make(map[string]bool, len(fields))
	for i, f := range fields {
		if !validFieldName(f.Name) {
			return Split{}, fmt.Errorf("%w: %s as the name of a part of the worker ID: 1 to %d of a-z, 0-9, '_', '-', a letter first",
				ErrSyntax, quote(f.Name), maxFieldName)
		}
		if seen[f.Name] {
			return Split{}, fmt.Errorf("%w: two parts of the worker ID are named %q", ErrSyntax, f.Name)
		}
		seen[f.Name] = true
		if f.Bits < 1 || f.Bits > 63-sum {
			return Split{}, fmt.Errorf("%w: part %q of the worker ID has %d bits: at least 1 and at most %d in all",
				ErrConfig, f.Name, f.Bits, 63)
		}
		sum += f.Bits
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(f.Name)
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(f.Bits))
	}
	return Split{text: b.String()}, nil
}

func validFieldName(name string) bool {
	if name == "" || len(name) > maxFieldName {
		return false
	}
	for i := range len(name) {
		c := name[i]
		letter := 'a' <= c && c <= 'z'
		if !letter && (i == 0 || c != '_' && c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return true
}

// IsZero reports whether s has no parts.
func (s Split) IsZero() bool {
	return s.text == ""
}

// String returns the parts as name:bits, separated by commas, such as
// "datacenter:5,worker:5"; it is empty for the zero Split.
func (s Split) String() string {
	return s.text
}

// Fields returns the parts in a new slice, the highest bits first.
func (s Split) Fields() []Field {
	var fields []Field
	for f := range s.each() {
		fields = append(fields, f)
	}
	return fields
}

// Values returns the name and the value of each part of the given worker ID, the
// highest bits first.
func (s Split) Values(workerID int64) iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		shift := 0
		for f := range s.each() {
			shift += f.Bits
		}
		for f := range s.each() {
			shift -= f.Bits
			if !yield(f.Name, workerID>>shift&(1<<f.Bits-1)) {
				return
			}
		}
	}
}

func (s Split) each() iter.Seq[Field] {
	return func(yield func(Field) bool) {
		if s.text == "" {
			return
		}
		for part := range strings.SplitSeq(s.text, ",") {
			name, width, _ := strings.Cut(part, ":")
			n, err := strconv.Atoi(width)
			if err != nil {
				panic("uid: malformed Split " + strconv.Quote(s.text)) // NewSplit made it
			}
			if !yield(Field{Name: name, Bits: n}) {
				return
			}
		}
	}
}
