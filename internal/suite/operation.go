package suite

import (
	"fmt"
	"slices"
	"strings"
)

// An Operation is a call of a store, as its last run of decide saw it.
type Operation struct {
	Name   string
	On     map[string]Access // by what the store keeps it under
	Result Result

	client    int
	call, ret int64
	doubts    []string // what is wrong with it unless nothing comes of this run
}

// An Access is what a call saw under one key and what it wrote there: texts, "" for nothing.
type Access struct {
	Saw, Wrote string
	Writes     bool // else it only looked

	// First, if it is not "", is what a store writes first that does not write all keys at once.
	First string

	// Step, if it is not nil, is what a program does that sees and writes a part: it returns what becomes of a
	// text, and false for one that it cannot have seen.
	Step func(text string) (string, bool)

	version int // of what it saw, in a Model
}

// A Result is what became of an operation.
type Result int

const (
	// Stored is the result of a call that returned nil.
	Stored Result = iota
	// Refused is that of a call that decide refused, so that nothing is stored.
	Refused
	// Open is that of any other: stored or not, now or later, unless what it was to replace is written again.
	Open
)

func (o *Operation) String() string {
	var b strings.Builder
	ret := fmt.Sprint(o.ret)
	if o.ret == never {
		ret = "any time"
	}
	fmt.Fprintf(&b, "client %d, %d to %s: %s", o.client, o.call, ret, o.Name)
	for key, a := range o.On {
		if fmt.Fprintf(&b, ", %s is %.200q", key, a.Saw); a.Writes {
			_, changed := differ(a.Saw, a.Wrote)
			fmt.Fprintf(&b, " and then %s", changed)
		}
	}
	fmt.Fprintf(&b, ", %s", [...]string{"stored", "refused", "open"}[o.Result])
	return b.String()
}

// A judge says which operations can be those of a store that makes one call at a time.
type judge interface {
	begins(*Operation)
	sees(o *Operation, key string) // in a run of decide
	ends(o *Operation, err error)
}

// Differs says where two texts differ, or returns "" where they do not.
func Differs(got, want string) string {
	if got == want {
		return ""
	}
	got, want = differ(got, want)
	return fmt.Sprintf("it is %s, not %s", got, want)
}

// differ returns excerpts from the word with the first difference on.
func differ(a, b string) (string, string) {
	excerpt := func(text string, from int) string { return fmt.Sprintf("%.100q", text[from:]) }
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	from := slices.Max([]int{strings.LastIndexByte(a[:same], ' ') + 1, same - 40, 0})
	return excerpt(a, from), excerpt(b, from)
}
