package report

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
)

// marked matches a part of a document that this package writes: a named table between two
// comments.
var marked = regexp.MustCompile(`(?s)<!-- bench:([a-z0-9-]+) -->\n.*?<!-- /bench -->`)

// FillIn rewrites the marked parts of a document. If the document asks for a table that
// does not exist, it returns an error and changes nothing.
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
