// Package guess says which presets of package bits, and formats of package foreign, a number could be of.
package guess

import (
	"fmt"
	"slices"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/foreign"
	"github.com/uidgen/uid/internal/presets"
)

// A Guess is a preset of package bits, or a format of package foreign, under which a number
// makes sense.
type Guess struct {
	// Name is the preset's or the format's.
	Name  string
	Parts foreign.Parts
	// Signs are what speaks for it, other than that the number fits the widths:
	//
	//   recent time     within the last 30 days, or a day ahead
	//   small worker    the worker or machine ID is in the lowest 32nd of its field
	//   small sequence  the sequence likewise
	//
	// A number that was made in another form has each of them by chance, perhaps one in
	// 32. An old ID of a busy machine, whose number was taken from an address, has none.
	Signs []string
}

// Confidence is how much speaks for a [Guess].
type Confidence int

const (
	// WidthsOnly says that the number fits, as many would, and nothing else speaks for it.
	WidthsOnly Confidence = iota
	// Possible says that there is one sign.
	Possible
	// Likely says that there are two or more.
	Likely
)

// String returns "widths only", "possible" or "likely".
func (c Confidence) String() string {
	switch c {
	case Likely:
		return "likely"
	case Possible:
		return "possible"
	}
	return "widths only"
}

// Confidence returns how much speaks for g. The same may speak for others: a number tells
// nothing about its form, and two forms whose fields are alike cannot be told apart.
func (g Guess) Confidence() Confidence {
	return min(Confidence(len(g.Signs)), Likely)
}

// What makes a sign, so that few numbers have it by chance.
const (
	signBits = 5                   // the highest of a field are zero
	lately   = 30 * 24 * time.Hour // of the years for which such IDs have been made
)

// Doubt says in a sentence why id was probably not made in the format f, seen from the time
// now; it is empty when nothing speaks against it. See bits.Layout.Doubt.
func Doubt(f foreign.Format, id int64, now time.Time) string {
	p, err := f.Parse(id)
	switch {
	case err != nil:
		return err.Error()
	case id >= 0:
		return f.Layout().Doubt(uid.UID(id), now)
	case p.Time.Sub(now) > 24*time.Hour:
		return fmt.Sprintf("its time, %s, is in the future: it may be of another format",
			p.Time.Format(time.RFC3339Nano))
	}
	return ""
}

// Guesses returns what id could be, seen from the time now: the presets of package bits and
// the formats of package foreign that hold it and do not doubt its time (see bits.Layout.Doubt).
// The one for which most speaks comes first, of equal ones that with the latest time. There
// may be none, or several.
func Guesses(id int64, now time.Time) []Guess {
	var found []Guess
	add := func(name string, p foreign.Parts, machineBits, sequenceBits int) {
		g := Guess{Name: name, Parts: p}
		if now.Sub(p.Time) <= lately {
			g.Signs = append(g.Signs, "recent time")
		}
		if small(p.Machine, machineBits) {
			g.Signs = append(g.Signs, "small worker")
		}
		if small(p.Sequence, sequenceBits) {
			g.Signs = append(g.Signs, "small sequence")
		}
		found = append(found, g)
	}
	for _, preset := range presets.Layouts() {
		l := bits.MustParseLayout(preset.Name)
		if p, err := l.Parse(uid.UID(id)); err == nil && l.Doubt(p.UID, now) == "" {
			add(preset.Name, foreign.Parts{ID: id, Time: p.Time, Machine: p.WorkerID, Sequence: p.Sequence},
				l.WorkerBits(), l.SequenceBits())
		}
	}
	for _, name := range presets.Formats() {
		if _, noPreset := bits.ParseLayout(name); id >= 0 && noPreset == nil {
			continue // the preset has read it
		}
		f, err := foreign.ParseFormat(name)
		if err != nil {
			panic("guess: " + err.Error()) // foreign's tests parse each
		}
		p, err := f.Parse(id)
		if err != nil || Doubt(f, id, now) != "" {
			continue
		}
		widths := map[string]int{}
		for _, field := range f.Fields() {
			widths[field.Name] = field.Bits
		}
		add(f.Name(), p, widths["machine"]+widths["worker"], widths["sequence"])
	}
	slices.SortStableFunc(found, func(a, b Guess) int {
		if d := len(b.Signs) - len(a.Signs); d != 0 {
			return d
		}
		return b.Parts.Time.Compare(a.Parts.Time)
	})
	return found
}

// small reports whether v is in the lowest 32nd of a field of so many bits.
func small(v int64, bits int) bool {
	return bits >= signBits && v>>(bits-signBits) == 0
}
