package main

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// displayWidth returns how many columns of a terminal a text takes.
func displayWidth(s string) int { return text.StringWidthWithoutEscSequences(s) }

// fold breaks a text into lines of at most width columns, at spaces. A word that is wider stays
// whole.
func fold(s string, width int) (lines []string) {
	if displayWidth(s) <= width {
		return []string{s}
	}
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && displayWidth(line)+1+displayWidth(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		line = word
	}
	return append(lines, line)
}

// foldOutside breaks a text at the spaces that stand outside of brackets and quotes. Lines but
// the first begin with indent, and all but the last end with ending.
func foldOutside(s string, width int, indent, ending string) string {
	var out strings.Builder
	depth, quoted := 0, false
	line, word := "", ""
	end := func() {
		if line != "" && displayWidth(line+" "+word+ending) > width {
			out.WriteString(line + ending + "\n")
			line = indent + word
		} else if line != "" {
			line += " " + word
		} else {
			line = word
		}
		word = ""
	}
	first := len(s) - len(strings.TrimLeft(s, " "))
	for _, r := range s[first:] {
		switch r {
		case '[':
			depth++
		case ']':
			depth--
		case '"', '\'':
			quoted = !quoted
		}
		if r == ' ' && depth == 0 && !quoted {
			if line == "" {
				word = s[:first] + word
			}
			end()
			continue
		}
		word += string(r)
	}
	if line == "" {
		word = s[:first] + word
	}
	end()
	return out.String() + line
}
