package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/worker/lease"
)

// The types below are pflag.Values whose errors say what they expect.

// layoutFlag is a layout by name or by its widths.
type layoutFlag struct {
	bits.Layout
	set bool
}

func newLayoutFlag() layoutFlag { return layoutFlag{Layout: bits.Default()} }

const layoutUsage = `a preset, or the bits of time, worker ID and sequence: 28/22/13, 41ms/10/12 (see uid help layouts; default "default")`

func (f *layoutFlag) Set(text string) (err error) {
	f.Layout, err = bits.ParseLayout(text)
	f.set = true
	if err != nil && namesFormat(text) {
		return fmt.Errorf("%.40q is the form of another generator: parse reads it, and plan --from", text)
	}
	return err
}

func (f *layoutFlag) String() string {
	if !f.set {
		return "" // so that the help does not say "default default"
	}
	return f.Layout.String()
}

func (*layoutFlag) Type() string { return "NAME|T/W/S" }

// countFlag is a whole number of at least 1, written 1000000 or 1e6.
type countFlag int64

func (f *countFlag) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		v, floatErr := strconv.ParseFloat(text, 64)
		switch {
		case floatErr != nil || v != math.Trunc(v):
		case math.Abs(v) > 1<<53: // beyond this not every whole number has a float64
			err = strconv.ErrRange
		default:
			n, err = int64(v), nil
		}
	}
	switch {
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("%.40q is too large a number", text)
	case err != nil:
		return fmt.Errorf("%.40q is not a whole number", text)
	case n < 1:
		return fmt.Errorf("%d is below 1", n)
	}
	*f = countFlag(n)
	return nil
}

func (f *countFlag) String() string { return strconv.FormatInt(int64(*f), 10) }
func (*countFlag) Type() string     { return "N" }

// numberFlag is a number, such as 2000000, 2e6 or 0.5. Its user checks the range.
type numberFlag float64

func (f *numberFlag) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("%.40q is not a number", text)
	}
	*f = numberFlag(v)
	return nil
}

func (f *numberFlag) String() string { return strconv.FormatFloat(float64(*f), 'g', -1, 64) }
func (*numberFlag) Type() string     { return "X" }

// spanFlag is a duration of more than zero.
type spanFlag time.Duration

func (f *spanFlag) Set(text string) error {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return fmt.Errorf("%.40q is not a duration such as 90s or 12h", text)
	case d <= 0:
		return fmt.Errorf("%v is not above 0", d)
	}
	*f = spanFlag(d)
	return nil
}

func (f *spanFlag) String() string { return time.Duration(*f).String() }
func (*spanFlag) Type() string     { return "DURATION" }

// afterFlag is a floor: the largest UID that was made before. 0 is none.
type afterFlag uid.UID

const afterUsage = "the floor: UIDs above this one only, such as the largest of another generator"

func (f *afterFlag) Set(text string) error {
	u, err := uid.Parse(text)
	switch {
	case err != nil:
		return fmt.Errorf("%.40q is not a UID in decimal digits", text)
	case u <= 0:
		return fmt.Errorf("%d is not above 0", int64(u))
	}
	*f = afterFlag(u)
	return nil
}

func (f *afterFlag) String() string {
	if *f == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*f), 10)
}

func (*afterFlag) Type() string { return "UID" }

// optionalSpan is a duration whose default the help does not show.
type optionalSpan struct{ *spanFlag }

func (*optionalSpan) String() string { return "" }

// rangeFlag is a range of worker IDs, such as 0-1023.
type rangeFlag struct{ lease.Range }

func (f *rangeFlag) Set(text string) error {
	first, last, found := strings.Cut(text, "-")
	a, err := strconv.ParseUint(first, 10, 63)
	b, err2 := strconv.ParseUint(last, 10, 63)
	switch {
	case !found || err != nil || err2 != nil:
		return fmt.Errorf("%.40q is not a range of worker IDs such as 0-1023", text)
	case a > b:
		return fmt.Errorf("%d is above %d", a, b)
	case b == 0:
		return errors.New("a namespace cannot have the worker ID 0 alone")
	}
	f.Range = lease.Range{First: int64(a), Last: int64(b)}
	return nil
}

func (f *rangeFlag) String() string {
	if f.Range == (lease.Range{}) {
		return ""
	}
	return rangeText(f.Range)
}

func (*rangeFlag) Type() string { return "FIRST-LAST" }

func rangeText(r lease.Range) string { return fmt.Sprintf("%d-%d", r.First, r.Last) }

// timeFlag is an instant, by default in UTC.
type timeFlag struct{ time.Time }

var timeForms = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"}

const timeUsage = `2026-11-21, "2026-11-21 10:00", 2026-11-21T10:00:00+01:00`

func (f *timeFlag) Set(text string) error {
	for _, form := range timeForms {
		if t, err := time.Parse(form, text); err == nil {
			f.Time = t.UTC()
			return nil
		}
	}
	return fmt.Errorf("%.40q is not a time such as %s", text, timeUsage)
}

func (f *timeFlag) String() string {
	if f.IsZero() {
		return ""
	}
	return f.Format(time.RFC3339Nano)
}

func (*timeFlag) Type() string { return "TIME" }
