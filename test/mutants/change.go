package main

import (
	"fmt"
	"hash/fnv"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// changes are the lines of each file that have changed; no lines stand for all of them.
type changes map[string]map[int]bool

// everything stands for a change of all files.
var everything changes

func (c changes) has(file string) bool { return c == nil || c[file] != nil }

func (c changes) line(file string, n int) bool { return c == nil || c[file][n] }

// tests reports whether a mutant's tests or guards have changed.
func (c changes) tests(m mutant) bool {
	for file := range c {
		isTest := filepath.Dir(file) == m.source() && (strings.HasSuffix(file, "_test.go") || m.scenarios != "")
		if isTest || file == m.folder()+"/"+guardsFile {
			return true
		}
	}
	return false
}

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
		if name, found := strings.CutPrefix(line, "+++ b/"); found {
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

// chosenFor returns the guards of what has changed, and one in a hundred of the others. Their names and
// the changed files choose which, so that who repeats a run has the same.
func chosenFor(guards []mutant, changed changes) (chosen []mutant) {
	seed := uint64(0)
	for file := range changed {
		seed += sum(file)
	}
	for _, m := range guards {
		if changed.has(m.file) || changed.tests(m) || (sum(m.name)+seed)%100 == 0 {
			chosen = append(chosen, m)
		}
	}
	return chosen
}

func sum(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}
