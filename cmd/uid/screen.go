package main

import (
	"bufio"
	"strconv"

	"golang.org/x/term"
)

const (
	// usualWidth is the width of an output that is no terminal.
	usualWidth = 80
	// leastWidth is what is written on terminals that are narrower, too.
	leastWidth = 40
	// textWidth is the most that running text takes: longer lines are hard to read.
	textWidth = 100
)

// width returns how many columns the output has: $COLUMNS if that is set, or the terminal's.
func (p *program) width() int {
	if n, err := strconv.Atoi(p.getenv("COLUMNS")); err == nil && n > 0 {
		return max(n, leastWidth)
	}
	if f, ok := p.stdout.(interface{ Fd() uintptr }); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return max(n, leastWidth)
		}
	}
	return usualWidth
}

// An output is buffered, and knows how many columns it has.
type output struct {
	*bufio.Writer
	width int
}
