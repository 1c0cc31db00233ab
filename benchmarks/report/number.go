package report

import (
	"math"
	"strconv"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// significant formats v with that many significant digits and without an exponent.
func significant(v float64, digits int) string {
	if v == 0 {
		return "0"
	}
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64) // 99.96 becomes 100, of three
	exponent := int(math.Floor(math.Log10(math.Abs(v)) + 1e-12))
	return strconv.FormatFloat(v, 'f', max(0, digits-1-exponent), 64)
}

// A prefix is a unit, and how many of the smallest make one.
type prefix struct {
	size float64
	name string
}

var (
	thousands = []prefix{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}, {0, ""}}
	durations = []prefix{{1e9, " s"}, {1e6, " ms"}, {1e3, " µs"}, {0, " ns"}}
)

func prefixOf(v float64, all []prefix) prefix {
	for _, p := range all {
		if v >= 0.9995*p.size {
			return prefix{max(1, p.size), p.name}
		}
	}
	return prefix{1, ""}
}

// count returns a number with a unit prefix: 12.3 M.
func count(v float64) string {
	p := prefixOf(v, thousands)
	return significant(v/p.size, 3) + p.name
}

// span returns a duration given in nanoseconds.
func span(ns float64) string {
	p := prefixOf(ns, durations)
	switch {
	case ns < 0.05:
		return "0 ns"
	case p.size == 1 && ns < 10:
		return significant(ns, 2) + p.name
	}
	return significant(ns/p.size, 3) + p.name
}

// seconds returns a long duration as a person would say it.
func seconds(s float64) string {
	switch {
	case s >= 2*86400:
		return significant(s/86400, 2) + " days"
	case s >= 2*3600:
		return significant(s/3600, 2) + " h"
	}
	return significant(s, 2) + " s"
}

// english puts a comma every three digits.
var english = message.NewPrinter(language.English)

// grouped returns a whole number with a comma every three digits.
func grouped(v float64) string { return english.Sprintf("%.0f", math.Round(v)) }

// hundredths returns a number with two digits after the point.
func hundredths(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

// ranged returns a median, and the range of the rounds in brackets; "" without a measurement.
func ranged(s summary, format func(float64) string) string {
	if s.rounds == 0 {
		return ""
	}
	low, high := format(s.low), format(s.high)
	// Say a common unit once.
	if number, unit, ok := strings.Cut(low, " "); ok && strings.HasSuffix(high, " "+unit) {
		low = number
	}
	return format(s.median) + " [" + low + "–" + high + "]"
}

// median returns it alone.
func median(s summary, format func(float64) string) string {
	if s.rounds == 0 {
		return ""
	}
	return format(s.median)
}
