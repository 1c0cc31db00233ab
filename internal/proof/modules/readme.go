package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/testserver"
)

// A program is one that README.md shows, with an example of what it prints: the comment behind its
// only Println.
type program struct{ source, prints string }

var (
	shown    = regexp.MustCompile("(?s)```go\n(package main\n.*?)```")
	printing = regexp.MustCompile(`(?m)^\s*fmt\.Println\(.*?\)(?: // (.+))?$`)
)

// programs returns the whole programs in a text.
func programs(text string) (all []program, err error) {
	for _, found := range shown.FindAllStringSubmatch(text, -1) {
		prints := printing.FindAllStringSubmatch(found[1], -1)
		if len(prints) != 1 || prints[0][1] == "" {
			return nil, fmt.Errorf("README.md does not say what this program prints:\n%s", found[1])
		}
		all = append(all, program{found[1], prints[0][1]})
	}
	if len(all) == 0 {
		return nil, errors.New("README.md has no program")
	}
	return all, nil
}

var digits = regexp.MustCompile(`[0-9]+`)

// alike reports whether a text is like an example: all but the numbers is the same, and there is
// nothing but an end of line behind it.
func alike(example, text string) bool {
	return digits.ReplaceAllString(example, "0")+"\n" == digits.ReplaceAllString(text, "0")
}

// fresh returns an error unless a text begins with a UID of the default layout that was made after
// since. One of a lease may be some minutes ahead.
func fresh(text string, since time.Time) error {
	u, err := uid.Parse(digits.FindString(text))
	if err != nil {
		return err
	}
	parts, err := bits.Default().Parse(u)
	if err != nil {
		return err
	}
	if ahead := time.Until(parts.Time); parts.Time.Before(since.Truncate(time.Second)) || ahead > 10*time.Minute {
		return fmt.Errorf("the UID %v was made %v from now, and not just now", u, ahead)
	}
	return nil
}

// readReadme does what README.md shows, in folders below dir.
func readReadme(dir string, at place) error {
	text, err := os.ReadFile("README.md")
	if err != nil {
		return err
	}
	all, err := programs(string(text))
	if err != nil {
		return err
	}
	server, err := testserver.Start(testserver.Config{})
	if err != nil {
		return err
	}
	defer server.Close()
	database, err := server.CreateDatabase()
	if err != nil {
		return err
	}
	began := time.Now()
	// The second program's database, and a data folder for the embedded one.
	at.env = append(at.env, "UID_MYSQL_DSN="+server.DSN(database), "XDG_DATA_HOME="+filepath.Join(dir, "data"))
	if err := commands(filepath.Join(dir, "command"), string(text), at); err != nil {
		return fmt.Errorf("README.md: %w", err)
	}
	for i, p := range all {
		if err := p.try(filepath.Join(dir, fmt.Sprint("program", i)), at); err != nil {
			return fmt.Errorf("README.md: its program %d: %w", i+1, err)
		}
	}
	fmt.Printf("ok   README.md: %d programs, and the commands (%.1f s)\n", len(all), time.Since(began).Seconds())
	return nil
}

// try compiles the program in a module of its own, and runs it.
func (p program) try(dir string, at place) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(p.source), 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{{"mod", "init", "example.org/program"}, {"mod", "tidy"}, {"build", "-o", "program.exe", "."}} {
		if _, err := at.command(dir, "go", args...); err != nil {
			return err
		}
	}
	since := time.Now()
	printed, err := at.command(dir, filepath.Join(dir, "program.exe"))
	if err != nil {
		return err
	}
	if !alike(p.prints, printed) {
		return fmt.Errorf("it prints %q, and README.md says %q", printed, p.prints)
	}
	return fresh(printed, since)
}

var parsed = regexp.MustCompile("(?s)`go run ./cmd/uid parse ([0-9]+)` takes a UID apart, and draws it:\n\n```\n(.*?)```")

// commands runs the commands that README.md shows: the first makes the namespace that the second
// program needs.
func commands(dir, text string, at place) error {
	if err := unpack(commandPath, dir, at.proxy); err != nil {
		return err
	}
	if _, err := at.command(dir, "go", "build", "-o", "uid.exe", "."); err != nil {
		return err
	}
	command := filepath.Join(dir, "uid.exe")
	_, inits, found := strings.Cut(text, "`uid worker init ")
	if !found {
		return errors.New("it does not say uid worker init")
	}
	inits, _, _ = strings.Cut(inits, "`")
	if _, err := at.command(dir, command, append([]string{"worker", "init"}, strings.Fields(inits)...)...); err != nil {
		return err
	}

	since := time.Now()
	own := at
	own.env = append(own.env[:len(own.env):len(own.env)], "UID_MYSQL_DSN=") // not the database, but the embedded one
	drawn, err := own.command(dir, command, "gen")
	if err != nil {
		return err
	}
	if !strings.Contains(text, "go run ./cmd/uid gen     # five UIDs,") || strings.Count(drawn, "\n") != 5 {
		return fmt.Errorf("uid gen prints %q, and README.md says five UIDs", drawn)
	}
	for line := range strings.Lines(drawn) {
		if err := fresh(line, since); err != nil {
			return err
		}
	}

	example := parsed.FindStringSubmatch(text)
	if example == nil {
		return errors.New("it does not show uid parse")
	}
	printed, err := own.command(dir, command, "parse", example[1])
	if err != nil {
		return err
	}
	words, picture, _ := strings.Cut(printed, "\n\n")
	if words+"\n" != example[2] || !strings.Contains(picture, "+-+--") {
		return fmt.Errorf("uid parse prints %q, and README.md says that it begins with %q", printed, example[2])
	}
	return nil
}

// commandPath is the path of the command's module.
const commandPath = "github.com/uidgen/uid/cmd/uid"
