package documents

import (
	"os"
	"path"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	errorRow = regexp.MustCompile("(?m)^\\| `(\\w+\\.\\w+)` \\| [^|]+ \\| [^|]+ \\|$")
	// exportedError is a sentinel or a type of error in api.txt, which make lint compares with the code.
	exportedError = regexp.MustCompile(`(?m)^[\w/]+\.(Err[A-Z]\w*|[A-Z]\w*Error)$`)
)

// The catalogue lists every sentinel and every type of error that the modules export, once, and no other.
func TestErrorsAreListed(t *testing.T) {
	var exported, listed []string
	for _, name := range exportedError.FindAllString(string(must(os.ReadFile(root+"/test/api/api.txt"))), -1) {
		exported = append(exported, path.Base(name))
	}
	require.Greater(t, len(exported), 20)
	for _, row := range errorRow.FindAllStringSubmatch(string(must(os.ReadFile(root+"/docs/errors.md"))), -1) {
		listed = append(listed, row[1])
	}
	require.ElementsMatch(t, exported, listed)
}
