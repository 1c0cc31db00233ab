// Package report writes what a run has shown: tables for people, and the parts of a document that a program
// makes, so that its numbers are
// never typed by hand.
package report

import (
	"bytes"
	"fmt"
	"os"
)

// Fill replaces a part of a file: all between a line "<!-- made:NAME -->" and the next line
// "<!-- /made -->". It returns an error, and changes nothing, when there is no such part or more
// than one.
func Fill(path, name, part string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	begin, end := fmt.Appendf(nil, "<!-- made:%s -->\n", name), []byte("\n<!-- /made -->")
	before, rest, found := bytes.Cut(text, begin)
	_, after, closed := bytes.Cut(rest, end)
	if !found || !closed || bytes.Contains(rest, begin) {
		return fmt.Errorf("%s: want exactly one part %q", path, name)
	}
	return os.WriteFile(path, fmt.Appendf(nil, "%s%s\n%s\n%s%s", before, begin, part, end, after), 0o644)
}
