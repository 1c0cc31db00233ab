package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/uidgen/uid/benchmarks/measure"
	"github.com/uidgen/uid/benchmarks/subject"
)

// subjects are all that results can hold, by name.
var subjects = func() map[string]subject.Subject {
	all := append(subject.Local(), subject.Served(nil, nil)...)
	all = append(all, measure.NoCall)
	out := make(map[string]subject.Subject)
	for _, s := range all {
		out[s.Name] = s
	}
	return out
}()

// labelOf returns a subject's label for people, or its name if it is unknown.
func labelOf(name string) string {
	if s, ok := subjects[name]; ok {
		return s.Label
	}
	return name
}

// significant formats v with that many significant digits and without an exponent.
func significant(v float64, digits int) string {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64) // 99.96 becomes 100, of three
	exponent := int(math.Floor(math.Log10(math.Abs(v)) + 1e-12))
	if decimals := digits - 1 - exponent; decimals > 0 {
		return strconv.FormatFloat(v, 'f', decimals, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// count returns a number with a unit prefix: 12.3 M.
func count(v float64) string {
	for _, p := range []struct {
		size float64
		name string
	}{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}} {
		if v >= 0.9995*p.size {
			return significant(v/p.size, 3) + p.name
		}
	}
	return significant(v, 3)
}

// grouped returns a whole number with a comma every three digits.
func grouped(v float64) string {
	s := strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// span returns a duration given in nanoseconds.
func span(ns float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{float64(time.Second), " s"}, {float64(time.Millisecond), " ms"}, {float64(time.Microsecond), " µs"}} {
		if ns >= 0.9995*u.size {
			return significant(ns/u.size, 3) + u.name
		}
	}
	if ns < 0.05 {
		return "0 ns"
	}
	return significant(ns, 2+min(1, int(math.Log10(max(1, ns))))) + " ns"
}

// withRange returns a median, and the range of the rounds in brackets.
func withRange(s summary, format func(float64) string) string {
	low, high := format(s.Low), format(s.High)
	// Say a common unit once.
	if number, unit, ok := strings.Cut(low, " "); ok && strings.HasSuffix(high, " "+unit) {
		low = number
	}
	return fmt.Sprintf("%s [%s–%s]", format(s.Median), low, high)
}
