package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/uidgen/uid/test/explore/overlay"
)

// guardsFile is where a package keeps its guards. Each is some lines, and an empty one ends it:
//
//	A lane looks at the floor before its last claim is known
//	lane.go ^TestLaneFloor$
//	-	old line, or lines
//	+	new ones, or none
//
// Further places in the file may follow, in their order. Old lines are compared without the white space around them,
// and have to stand in the file exactly once. The second line has the file and the tests that are to notice; after them
// may stand the folder of these tests (in=test/databases), a variable for them (UID_STRESS_TAKES=1000), the word hangs,
// and the word explore: then the tests are the package's scenarios for package explore.
//
// A name ends with that of the same fault in a model, if there is one: (M_SHUT_LOAD). Where the code has none, a line
// says why:
//
//	without M_TORN, M_OTHER: the reason
const guardsFile = "testdata/mutants.txt"

const without = "without "

// readGuards returns the guards of all packages below a folder.
func readGuards(root string) (all []mutant, err error) {
	names := map[string]string{}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(filepath.ToSlash(path), guardsFile) {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		dir := strings.TrimSuffix(filepath.ToSlash(path), guardsFile)
		for record := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
			if strings.HasPrefix(record, without) {
				continue
			}
			m, err := parseGuard(root, dir, record)
			if err == nil && names[m.name] != "" {
				err = fmt.Errorf("%s has a guard of the same name", names[m.name])
			}
			if err != nil {
				return fmt.Errorf("%s: %w:\n%s", path, err, record)
			}
			names[m.name] = path
			all = append(all, m)
		}
		return nil
	})
	return all, err
}

// parseGuard reads a guard, and finds its lines in the source.
func parseGuard(root, dir, record string) (m mutant, err error) {
	lines := strings.Split(record, "\n")
	if len(lines) < 3 {
		return m, fmt.Errorf("a guard has at least three lines")
	}
	words := strings.Fields(lines[1])
	if len(words) < 2 {
		return m, fmt.Errorf("its second line has a file and a regular expression of tests")
	}
	m = mutant{name: lines[0], file: filepath.ToSlash(filepath.Join(dir, words[0])), tests: words[1]}
	for _, word := range words[2:] {
		if in, found := strings.CutPrefix(word, "in="); found {
			m.in = filepath.ToSlash(filepath.Join(root, in))
		} else if strings.Contains(word, "=") {
			m.env = word
		} else if word == "hangs" {
			m.hangs = true
		} else if word == "explore" {
			m.scenarios = filepath.ToSlash(filepath.Join(root, overlay.Scenarios, strings.TrimPrefix(dir, root)))
		} else {
			return m, fmt.Errorf("%q is not in=FOLDER, VARIABLE=value, hangs or explore", word)
		}
	}
	source, err := os.ReadFile(m.file)
	if err != nil {
		return m, err
	}
	for rest := lines[2:]; len(rest) > 0; {
		var before, after []string
		before, rest = cut("-", rest)
		after, rest = cut("+", rest)
		for i := range before {
			before[i] = strings.TrimSpace(before[i])
		}
		if len(before) == 0 {
			return m, fmt.Errorf("%q does not begin with -", append(after, rest...)[0])
		}
		begin, end, err := find(string(source), before)
		if err != nil {
			return m, err
		}
		m.edits = append(m.edits, edit{begin, end, strings.Join(after, "")})
	}
	return m, nil
}

// cut returns the lines up to the first one without a prefix, without it, and the rest.
func cut(prefix string, lines []string) (with, rest []string) {
	for len(lines) > 0 && strings.HasPrefix(lines[0], prefix) {
		with = append(with, lines[0][len(prefix):]+"\n")
		lines = lines[1:]
	}
	return with, lines
}

// find returns where lines stand in a source.
func find(source string, lines []string) (begin, end int, err error) {
	all := strings.SplitAfter(source, "\n")
	found, at := 0, 0
	for i := range all {
		k := 0
		for k < len(lines) && i+k < len(all) && strings.TrimSpace(all[i+k]) == lines[k] {
			k++
		}
		if k == len(lines) {
			found++
			begin, end = at, at+len(strings.Join(all[i:i+k], ""))
		}
		at += len(all[i])
	}
	if found != 1 {
		return 0, 0, fmt.Errorf("its old lines stand in the file %d times", found)
	}
	return begin, end, nil
}
