package cli

import (
	"errors"
	"fmt"
	"math"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/ticks"
	"github.com/uidgen/uid/worker/lease"
)

// A value is the pflag.Value of a variable. Its zero value is one that was not given, and no default that --help shows.
type value[T comparable] struct {
	to   *T
	kind string // in --help
	read func(text string) (T, error)
}

// Var returns the value of a flag, of a kind that --help shows and that a function reads.
func Var[T comparable](to *T, kind string, read func(string) (T, error)) pflag.Value {
	return value[T]{to, kind, read}
}

func (v value[T]) Set(text string) error {
	x, err := v.read(text)
	if err == nil {
		*v.to = x
	}
	return err
}

func (v value[T]) String() string {
	if *v.to == *new(T) {
		return ""
	}
	return fmt.Sprint(*v.to)
}

func (v value[T]) Type() string { return v.kind }

// The flags of each kind. Their errors say what they expect.
func CountVar(to *int64) pflag.Value              { return Var(to, "N", readCount) }
func NumberVar(to *float64) pflag.Value           { return Var(to, "X", readNumber) }
func SpanVar(to *time.Duration) pflag.Value       { return Var(to, "DURATION", readSpan) }
func TimeVar(to *time.Time) pflag.Value           { return Var(to, "TIME", readTime) }
func AfterVar(to *uid.UID) pflag.Value            { return Var(to, "UID", readAfter) }
func AddressVar(to *string) pflag.Value           { return Var(to, "ADDR", readAddress) }
func TextVar(to *string, kind string) pflag.Value { return Var(to, kind, readText) }

// readCount reads a whole number of at least 1, written 1000000 or 1e6.
func readCount(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	// From 2^53 on a float64 may be another whole number than the text.
	if v, no := strconv.ParseFloat(text, 64); err != nil && no == nil && v == math.Trunc(v) && v < 1<<53 {
		n, err = int64(v), nil
	}
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%.40q is no whole number from 1 to 2^63-1 (written as 1e6: below 2^53)", text)
	}
	return n, nil
}

// readNumber reads a number, such as 2000000, 2e6 or 0.5. Its user checks the range.
func readNumber(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("%.40q is not a number", text)
	}
	return v, nil
}

// readSpan reads a duration of more than zero.
func readSpan(text string) (time.Duration, error) {
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return d, nil
	}
	return 0, fmt.Errorf("%.40q is no duration above 0, such as 90s or 12h", text)
}

var timeForms = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05", time.DateTime, "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly,
}

const TimeUsage = `2026-11-21, "2026-11-21 10:00", 2026-11-21T10:00:00+01:00`

// readTime reads an instant, by default in UTC.
func readTime(text string) (time.Time, error) {
	for _, form := range timeForms {
		if t, err := time.Parse(form, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%.40q is not a time such as %s", text, TimeUsage)
}

const AfterUsage = "the floor: UIDs above this one only, such as the largest of another generator"

// readAfter reads a floor: the largest UID that was made before.
func readAfter(text string) (uid.UID, error) {
	if u, err := uid.Parse(text); err == nil && u > 0 {
		return u, nil
	}
	return 0, fmt.Errorf("%.40q is no UID above 0 in decimal digits", text)
}

// readText reads what may not be empty.
func readText(text string) (string, error) {
	if text == "" {
		return "", errors.New("it is empty")
	}
	return text, nil
}

// Off stands for no listener.
const Off = "off"

// readAddress reads an address to listen on.
func readAddress(text string) (string, error) {
	host, port, err := net.SplitHostPort(text)
	_, portErr := strconv.ParseUint(port, 10, 16)
	if text != Off && (err != nil || portErr != nil || strings.ContainsAny(host, "@/ ")) {
		return "", errors.New("it is neither HOST:PORT, such as 127.0.0.1:7077 or :7077, nor off")
	}
	return text, nil
}

// ReadZone reads a time zone.
func ReadZone(text string) (*time.Location, error) {
	zone, err := time.LoadLocation(text)
	if err != nil || text == "" {
		return nil, errors.New("it is no time zone such as Europe/Berlin")
	}
	return zone, nil
}

// ReadID reads a worker ID; nil is none.
func ReadID(text string) (*int64, error) {
	id, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return nil, fmt.Errorf("%.40q is no worker ID", text)
	}
	return new(int64(id)), nil
}

// ReadIDs reads a worker ID, or a range of them, such as 0-1023; nil is all.
func ReadIDs(text string) (*lease.Range, error) {
	first, last, found := strings.Cut(text, "-")
	if !found {
		last = first
	}
	a, err := strconv.ParseUint(first, 10, 63)
	b, err2 := strconv.ParseUint(last, 10, 63)
	if err != nil || err2 != nil || a > b {
		return nil, fmt.Errorf("%.40q is no worker ID, and no range of them such as 0-1023", text)
	}
	return &lease.Range{First: int64(a), Last: int64(b)}, nil
}

// ReadRange reads the worker IDs of a namespace; the zero value is all.
func ReadRange(text string) (lease.Range, error) {
	ids, err := ReadIDs(text)
	switch {
	case err != nil || !strings.Contains(text, "-"):
		return lease.Range{}, fmt.Errorf("%.40q is not a range of worker IDs such as 0-1023", text)
	case ids.Last == 0:
		return lease.Range{}, errors.New("a namespace cannot have the worker ID 0 alone")
	}
	return *ids, nil
}

func RangeText(r lease.Range) string { return fmt.Sprintf("%d-%d", r.First, r.Last) }

// LayoutFlag is a layout by name or by its widths.
type LayoutFlag struct {
	bits.Layout
	Given bool
}

func NewLayoutFlag() LayoutFlag { return LayoutFlag{Layout: bits.Default()} }

const (
	layoutKind  = "NAME|T/W/S"
	LayoutUsage = "a preset, or the bits of time, worker ID and sequence: 28/22/13, 41ms/10/12 (uid help layouts)"
)

func (f *LayoutFlag) Set(text string) (err error) {
	f.Layout, err = bits.ParseLayout(text)
	f.Given = true
	if err != nil && namesFormat(text) {
		return fmt.Errorf("%.40q is the form of another generator: parse reads it, and plan --from", text)
	}
	return err
}

func (f *LayoutFlag) String() string {
	if !f.Given {
		return "" // so that the help does not say "default default"
	}
	return f.Layout.String()
}

func (*LayoutFlag) Type() string { return layoutKind }

// CheckFloor refuses a floor that no UID of a layout is above.
func CheckFloor(l bits.Layout, after uid.UID) error {
	if after == 0 {
		return nil
	}
	if _, err := ticks.Above(l, after); err != nil {
		return BadInput("--after: %w", err)
	}
	return nil
}
