package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// benchmarks is which files of a package are taken from today's tree.
const benchmarks = "*bench_test.go"

// trees are the two revisions as folders.
type trees struct {
	temp          string // holds before, and the programs
	before, after string
}

// A pair is the test programs of one package.
type pair struct{ before, after program }

// A program is a test program, and the folder of its package.
type program struct{ pkg, path, dir string }

// checkOut makes a work tree of a revision in a temporary folder. The caller removes it.
func checkOut(ctx context.Context, revision string) (t *trees, err error) {
	root, err := output(ctx, "", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	t = &trees{after: strings.TrimSpace(root)}
	commit, err := output(ctx, t.after, "git", "rev-parse", "--verify", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return nil, fmt.Errorf("there is no revision %q: %w", revision, err)
	}
	if t.temp, err = os.MkdirTemp("", "uid-revisions-"); err != nil {
		return nil, err
	}
	t.before = filepath.Join(t.temp, "before")
	// It takes a second, and what is half made is hard to remove: it does not end with ctx.
	if _, err = output(context.WithoutCancel(ctx), t.after, "git", "worktree", "add", "--detach", t.before, strings.TrimSpace(commit)); err != nil {
		return nil, errors.Join(err, os.RemoveAll(t.temp))
	}
	return t, nil
}

// remove removes the work tree, from git's list too, and the programs. It is also for when the
// caller's context has ended.
func (t *trees) remove() error {
	_, err := output(context.Background(), t.after, "git", "worktree", "remove", "--force", t.before)
	return errors.Join(err, os.RemoveAll(t.temp))
}

// build gives the revision before today's benchmarks of a package, and builds both programs.
func (t *trees) build(ctx context.Context, pkg string) (pair, error) {
	var p pair
	folder := filepath.FromSlash(strings.TrimPrefix(pkg, "./"))
	if !filepath.IsLocal(folder) {
		return p, fmt.Errorf("package %q: want a folder of the repository, such as ./cached", pkg)
	}
	if err := replace(filepath.Join(t.before, folder), filepath.Join(t.after, folder)); err != nil {
		return p, fmt.Errorf("package %s: %w", pkg, err)
	}
	name := strings.ReplaceAll(filepath.ToSlash(folder), "/", "_")
	for _, x := range []struct {
		to         *program
		tree, when string
	}{{&p.before, t.before, "before"}, {&p.after, t.after, "after"}} {
		*x.to = program{pkg: pkg, path: filepath.Join(t.temp, name+"."+x.when), dir: filepath.Join(x.tree, folder)}
		if err := x.to.build(ctx); err != nil {
			return p, fmt.Errorf("building the benchmarks of %s as %s: %w", pkg, x.when, err)
		}
	}
	return p, nil
}

func (p program) build(ctx context.Context, flags ...string) error {
	args := append([]string{"test", "-c", "-trimpath", "-o", p.path}, flags...)
	_, err := output(ctx, p.dir, "go", append(args, ".")...)
	return err
}

// optimise builds a program again, by a profile of its benchmarks.
func (t *trees) optimise(ctx context.Context, p program, pattern, benchtime string) error {
	profile := filepath.Join(t.temp, "cpu.pprof")
	if _, err := output(ctx, p.dir, p.path, "-test.run", "^$", "-test.bench", pattern, "-test.benchtime", benchtime, "-test.cpuprofile", profile); err != nil {
		return err
	}
	return p.build(ctx, "-pgo", profile)
}

// replace replaces the benchmarks in one folder by those of another.
func replace(to, from string) error {
	old, err := filepath.Glob(filepath.Join(to, benchmarks))
	if err != nil {
		return err
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	files, err := filepath.Glob(filepath.Join(from, benchmarks))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("no file %s", benchmarks)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(path)), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// bench runs the program's benchmarks once, and returns what it prints.
func (p program) bench(ctx context.Context, pattern, benchtime string) (string, error) {
	return output(ctx, p.dir, p.path, "-test.run", "^$", "-test.bench", pattern, "-test.benchtime", benchtime)
}

// output runs a command in a folder and returns what it prints; on an error that is part of it.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", filepath.Base(name), strings.Join(args, " "), err, out, complaint.String())
	}
	return string(out), nil
}
