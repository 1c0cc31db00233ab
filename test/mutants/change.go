package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// changes are the lines of each file that have changed; no lines stand for all of them.
type changes map[string]map[int]bool

// everything stands for a change of all files.
var everything changes

// in reports whether a file in one of the folders has changed.
func (c changes) in(folders ...string) bool {
	for file := range c {
		if slices.Contains(folders, strings.TrimSuffix(filepath.Dir(file), "/testdata")) {
			return true
		}
	}
	return c == nil
}

func (c changes) line(file string, n int) bool { return c == nil || c[file][n] }

// changedSince asks git for what differs between a revision and the working tree.
func changedSince(revision string) (changes, error) {
	out, err := exec.Command("git", "diff", "--unified=0", "--no-color", "--no-ext-diff",
		"--src-prefix=a/", "--dst-prefix=b/", revision, "--").Output()
	if err != nil {
		return nil, fmt.Errorf("git diff %s: %w", revision, err)
	}
	return parseDiff(string(out))
}

// parseDiff reads the output of git diff --unified=0.
func parseDiff(text string) (changes, error) {
	all := changes{}
	file := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		name, old := strings.CutPrefix(line, "--- a/") // what is gone has no other
		name, found := strings.CutPrefix(name, "+++ b/")
		if old || found {
			file = name
			all[file] = map[int]bool{}
		} else if strings.HasPrefix(line, "@@ ") && file != "" {
			_, after, _ := strings.Cut(line, " +")
			after, _, _ = strings.Cut(after, " ")
			from, count, several := strings.Cut(after, ",")
			first, err := strconv.Atoi(from)
			n := 1
			if err == nil && several {
				n, err = strconv.Atoi(count)
			}
			if err != nil {
				return nil, fmt.Errorf("git diff says %q: %w", line, err)
			}
			for i := range n {
				all[file][first+i] = true
			}
		}
	}
	return all, nil
}
