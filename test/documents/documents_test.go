// Package documents holds tests of what the documents say to a reader: that their programs
// build, that their links lead somewhere, and that the README stays short.
package documents

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// must returns a value that cannot fail to be there.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// documents returns the names and texts of all documents for readers.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/evidence/*.md", "benchmarks/*.md", "recipes/*.md",
		"*/model/*.md", "*/*/model/*.md"} {
		for _, name := range must(filepath.Glob(filepath.Join(root, pattern))) {
			texts[name] = string(must(os.ReadFile(name)))
		}
	}
	require.Greater(t, len(texts), 8)
	return texts
}

var program = regexp.MustCompile("(?s)```go\n(package main\n.*?)```")

// Every whole program in a document builds.
func TestProgramsBuild(t *testing.T) {
	found := 0
	for name, text := range documents(t) {
		for _, p := range program.FindAllStringSubmatch(text, -1) {
			found++
			file := filepath.Join(t.TempDir(), "main.go")
			require.NoError(t, os.WriteFile(file, []byte(p[1]), 0o644))
			out, err := exec.Command("go", "vet", file).CombinedOutput()
			require.NoError(t, err, "%s: %s\n%s", name, p[1], out)
			require.Equal(t, string(must(exec.Command("gofmt", file).Output())), p[1], name)
		}
	}
	require.GreaterOrEqual(t, found, 2)
}

var link = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)

// Every link into the repository leads to a file or a folder.
func TestLinksLeadSomewhere(t *testing.T) {
	for name, text := range documents(t) {
		for _, l := range link.FindAllStringSubmatch(text, -1) {
			_, err := os.Stat(filepath.Join(filepath.Dir(name), filepath.FromSlash(l[1])))
			require.NoError(t, err, name)
		}
	}
}

// Each document in docs is linked from the README, and from CONTRIBUTING.
func TestDocumentsAreLinked(t *testing.T) {
	texts := documents(t)
	for name := range texts {
		if filepath.Base(filepath.Dir(name)) == "docs" {
			for _, from := range []string{"README.md", "CONTRIBUTING.md"} {
				require.Contains(t, texts[filepath.Join(root, from)], "(docs/"+filepath.Base(name)+")", from)
			}
		}
	}
}

// A stranger reads a README of 1,500 words to its end, and nobody reads more than 20,000.
func TestDocumentsAreShort(t *testing.T) {
	all := 0
	for name, text := range documents(t) {
		words := len(strings.Fields(text))
		all += words
		if name == filepath.Join(root, "README.md") {
			require.LessOrEqual(t, words, 1500)
		}
	}
	require.LessOrEqual(t, all, 20000)
}

// Which package to take is said in one text: by the README, and by the comment of package uid.
func TestWhichOneIsOneText(t *testing.T) {
	_, tree, found := strings.Cut(documents(t)[filepath.Join(root, "README.md")], "## Which one\n\n```\n")
	require.True(t, found)
	tree, _, _ = strings.Cut(tree, "```")
	require.LessOrEqual(t, strings.Count(tree, "?"), 6) // two are one question
	comment := must(os.ReadFile(filepath.Join(root, "doc.go")))
	for line := range strings.Lines(tree) {
		require.Contains(t, string(comment), "//\t"+line)
	}
}
