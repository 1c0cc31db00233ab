package report

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
)

// marked is a part of a document that is written by this package: a table of a name
// between two comments.
var marked = regexp.MustCompile(`(?s)<!-- bench:([a-z0-9-]+) -->\n.*?<!-- /bench -->`)

// FillIn writes the marked parts of a document anew. It returns an error, and changes
// nothing, if the document asks for a table that there is not.
func FillIn(r *Results, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var missing error
	filled := marked.ReplaceAllFunc(text, func(part []byte) []byte {
		name := string(marked.FindSubmatch(part)[1])
		for _, t := range Tables {
			if t.Name == name {
				return fmt.Appendf(nil, "<!-- bench:%s -->\n\n%s\n\n<!-- /bench -->", name, t.Markdown(r))
			}
		}
		missing = fmt.Errorf("%s: there is no table %q", path, name)
		return part
	})
	if missing != nil || bytes.Equal(filled, text) {
		return missing
	}
	return os.WriteFile(path, filled, 0o644)
}
