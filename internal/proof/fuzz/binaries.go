package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// binaries are instrumented tests, each built once for all targets of its package: go test -fuzz
// links it anew for each target, which takes longer than a target is fuzzed for.
type binaries struct {
	folder string
	cache  string // of inputs, by package, where go test keeps them
	built  map[string]binary
}

// A binary is the test of a package.
type binary struct{ path, cache string }

func newBinaries() (*binaries, error) {
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOCACHE: %w", err)
	}
	folder, err := os.MkdirTemp("", "fuzz")
	if err != nil {
		return nil, err
	}
	return &binaries{folder, filepath.Join(strings.TrimSpace(string(cache)), "fuzz"), map[string]binary{}}, nil
}

// of returns the binary of a target's package, and builds it if need be, which may print to show.
func (b *binaries) of(t target, show io.Writer) (binary, error) {
	if built, ok := b.built[t.pkg]; ok {
		return built, nil
	}
	built := binary{
		path:  filepath.Join(b.folder, strconv.Itoa(len(b.built))+".test"),
		cache: filepath.Join(b.cache, filepath.FromSlash(t.pkg)),
	}
	build := exec.Command("go", "test", "-c", "-fuzz", ".", "-o", built.path, t.pkg)
	build.Dir, build.Stdout, build.Stderr = t.dir, show, show
	if err := build.Run(); err != nil {
		return binary{}, fmt.Errorf("go test -c %s: %w", t.pkg, err)
	}
	b.built[t.pkg] = built
	return built, nil
}

func (b *binaries) remove() { _ = os.RemoveAll(b.folder) }
