package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/uidgen/uid/test/explore/overlay"
)

// A group are mutants that tests of one kind are to notice. One program has all that are in bodies of functions, and
// each of the others has its own.
type group struct {
	kind
	mutants []*mutant
	took    time.Duration // by all tests, without a mutant
}

// A kind of tests are those of a folder, or its scenarios for package explore, or those of whole generators.
type kind struct {
	folder         string
	explore, whole bool
}

func (m *mutant) kind() kind {
	return kind{m.folder(), m.scenarios != "", m.scenarios != "" && strings.Contains(m.tests, "Whole")}
}

// grouped returns the groups of mutants, the largest first.
func grouped(all []mutant) (groups []*group) {
	for _, m := range all {
		i := slices.IndexFunc(groups, func(g *group) bool { return g.kind == m.kind() })
		if i < 0 {
			i = len(groups)
			groups = append(groups, &group{kind: m.kind()})
		}
		groups[i].mutants = append(groups[i].mutants, &m)
		m.number = len(groups[i].mutants)
	}
	slices.SortStableFunc(groups, func(a, b *group) int { return len(b.mutants) - len(a.mutants) })
	return groups
}

// try says of each mutant whether its tests catch it, and only it. What takes time it does by turn, which waits for
// one.
func (g *group) try(turn func(func()), say func(m *mutant, v verdict, took time.Duration)) {
	dir, err := os.MkdirTemp("", "mutants")
	defer os.RemoveAll(dir)
	one := program{g.kind, dir}
	if err == nil {
		turn(func() { err = g.prepare(one) })
	}
	var wg sync.WaitGroup
	for _, m := range g.mutants {
		wg.Go(func() {
			turn(func() {
				began := time.Now()
				v := verdict{fate: survived}
				switch {
				case err != nil:
					v.by = "a test: without it " + err.Error()
				case m.refused != "":
					v = verdict{fate: impossible, by: m.refused}
				case m.woven:
					v = m.judge(g.test(one, m))
				default:
					v = g.alone(m, program{g.kind, filepath.Join(dir, strconv.Itoa(m.number))})
				}
				say(m, v, time.Since(began))
			})
		})
	}
	wg.Wait()
}

// refusal is what the compiler says of a mutant: see weave.
var refusal = regexp.MustCompile(`mutant-(\d+)\.go:\d+:\d+: (.*)`)

// prepare compiles the one program, without mutants that do not compile, and runs all tests without a mutant.
func (g *group) prepare(one program) error {
	for {
		texts, err := g.weave()
		if err != nil {
			return err
		}
		out, err := one.compile(texts)
		if err == nil {
			break
		}
		refusals := refusal.FindAllStringSubmatch(string(out), -1)
		if refusals == nil {
			return fmt.Errorf("%w: %s", err, ending(string(out)))
		}
		for _, r := range refusals {
			n, _ := strconv.Atoi(r[1])
			g.mutants[n-1].refused = r[2]
		}
	}
	tests := map[string][]string{} // by variable
	for _, m := range g.mutants {
		tests[m.env] = append(tests[m.env], m.tests)
	}
	began := time.Now()
	for env, patterns := range tests {
		out, err := one.run(0, env, 10*time.Minute, "-test.run", strings.Join(patterns, "|"))
		if err != nil {
			return fmt.Errorf("%w: %s", err, ending(string(out)))
		}
	}
	g.took = time.Since(began)
	return nil
}

// weave returns the files with all mutants that can be in one program.
func (g *group) weave() (texts map[string][]byte, err error) {
	files := map[string][]*mutant{}
	for _, m := range g.mutants {
		if m.refused == "" && filepath.Ext(m.file) == ".go" {
			files[m.file] = append(files[m.file], m)
		}
	}
	texts = map[string][]byte{}
	for file, mutants := range files {
		if texts[file], err = weave(file, mutants); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// alone tries a mutant in a program of its own.
func (g *group) alone(m *mutant, own program) verdict {
	text, err := m.mutated()
	if err != nil {
		return verdict{survived, "a test: " + err.Error(), ""}
	}
	if out, err := own.compile(map[string][]byte{m.file: text}); err != nil {
		return verdict{impossible, err.Error(), string(out)}
	}
	return m.judge(g.test(own, m))
}

// test runs the tests of a mutant.
func (g *group) test(p program, m *mutant) (output []byte, err error) {
	limit := 2 * time.Minute
	if m.hangs {
		limit = 20 * time.Second
	} else if m.slip { // it counts as caught then
		limit = min(limit, 20*time.Second+4*g.took)
	}
	return p.run(m.number, m.env, limit, "-test.failfast", "-test.run", m.tests)
}

// A program has the tests of a folder, and mutants in what these test.
type program struct {
	kind
	dir string // has the program and its overlay
}

func (p program) file() string    { return filepath.Join(p.dir, "program.test") }
func (p program) overlay() string { return filepath.Join(p.dir, "overlay.json") }

// compile compiles it, with texts in place of the files that are their keys.
func (p program) compile(texts map[string][]byte) (output []byte, err error) {
	flags, err := p.replace(texts)
	if err != nil {
		return nil, err
	}
	args := append([]string{"test", "-c", "-vet", "off", "-ldflags", "-w", "-o", p.file()}, flags...)
	return exec.Command("go", append(args, "./"+p.folder)...).CombinedOutput()
}

// replace writes what has the compiler take texts in place of files, and returns the flags for that.
func (p program) replace(texts map[string][]byte) (flags []string, err error) {
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return nil, err
	}
	if p.explore {
		file, err := overlay.Write(p.dir, ".", p.whole, texts)
		return overlay.Flags(file), err
	}
	replaced := map[string]string{}
	for file, text := range texts {
		abs, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		replaced[abs] = filepath.Join(p.dir, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(replaced[abs], text, 0o600); err != nil {
			return nil, err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return nil, err
	}
	return []string{"-overlay", p.overlay()}, os.WriteFile(p.overlay(), list, 0o600)
}

// run runs the program with a mutant in its tests' folder, as go test does.
func (p program) run(mutant int, env string, limit time.Duration, args ...string) (output []byte, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit+time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.file(), append(args, "-test.timeout", limit.String())...)
	cmd.Dir = p.folder
	cmd.Env = append(os.Environ(), "EXPLORE_OVERLAY="+p.overlay(), fmt.Sprintf("%s=%d", variable, mutant))
	if env != "" {
		cmd.Env = append(cmd.Env, env)
	}
	return cmd.CombinedOutput()
}
