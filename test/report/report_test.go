package report_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/report"
)

func TestFill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.md")
	write := func(text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o644)) }
	read := func() string {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(text)
	}
	write("a\n<!-- made:x -->\nold\n<!-- /made -->\nb\n<!-- made:y -->\n<!-- /made -->\n")
	for range 2 { // the second time changes nothing
		require.NoError(t, report.Fill(path, "x", "new\nlines"))
		want := "a\n<!-- made:x -->\n\nnew\nlines\n\n<!-- /made -->\nb\n<!-- made:y -->\n<!-- /made -->\n"
		require.Equal(t, want, read())
	}
	was := read()
	require.ErrorContains(t, report.Fill(path, "z", ""), `want exactly one part "z"`)
	require.Equal(t, was, read())
	write(was + was)
	require.Error(t, report.Fill(path, "x", ""))
	require.Error(t, report.Fill(path+"x", "x", ""))
}
