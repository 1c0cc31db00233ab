// Modules builds each module of the repository by itself, outside the workspace, against the
// others as a release would contain them: without files that git ignores, without the other
// modules' folders, and with the requirements of the go.mod files alone. So it finds what the
// workspace hides: a missing requirement, or an import of a package that a module lacks.
//
//	go run ./internal/proof/modules
//
// After that it does what README.md shows, outside the repository, as a reader would: it copies the
// programs into modules of their own, compiles and runs them, runs the commands, and compares what
// they print with what README says that they do. With -readme it does that alone.
//
// It makes a module proxy of files that serves version v0.0.0 of each module in go.work, the
// version that their go.mod files require of one another before a release. All other modules
// come from the go command's usual sources.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// version is what the modules require of one another until a release.
const version = "v0.0.0"

func main() {
	readmeOnly := flag.Bool("readme", false, "only do what README.md shows")
	flag.Parse()
	if err := run(*readmeOnly); err != nil {
		fmt.Fprintln(os.Stderr, "modules:", err)
		os.Exit(1)
	}
}

// A member is a module of the workspace.
type member struct{ Path, Dir string }

func run(readmeOnly bool) (err error) {
	dir, err := os.MkdirTemp("", "uid-modules-")
	if err != nil {
		return err
	}
	cache := filepath.Join(dir, "cache") // for the members; other modules are copied into it
	defer func() { err = errors.Join(err, makeWritable(cache), os.RemoveAll(dir)) }()
	members, err := workspace()
	if err != nil {
		return err
	}
	proxy := filepath.Join(dir, "proxy")
	for _, m := range members {
		if err := m.publish(proxy); err != nil {
			return fmt.Errorf("%s: %w", m.Path, err)
		}
	}
	at, err := newPlace(proxy, cache)
	if err != nil {
		return err
	}
	if !readmeOnly {
		if err := buildAll(members, dir, at); err != nil {
			return err
		}
	}
	return readReadme(filepath.Join(dir, "reader"), at)
}

// buildAll builds each module in a folder of its own below dir.
func buildAll(members []member, dir string, at place) error {
	var failed []string
	for i, m := range members {
		began := time.Now()
		if err := m.build(filepath.Join(dir, fmt.Sprint(i)), at); err != nil {
			fmt.Printf("FAIL %s\n%v\n", m.Path, err)
			failed = append(failed, m.Path)
			continue
		}
		fmt.Printf("ok   %s (%.1f s)\n", m.Path, time.Since(began).Seconds())
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d modules do not build by themselves: %s", len(failed), len(members), strings.Join(failed, ", "))
	}
	return nil
}

// workspace returns the modules that go.work names.
func workspace() (members []member, err error) {
	out, err := exec.Command("go", "list", "-m", "-json").Output()
	if err != nil {
		return nil, fmt.Errorf("listing the modules of the workspace: %w", err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var m member
		if err := d.Decode(&m); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	return members, nil
}

// publish puts the module into the proxy of files, in the form of
// https://go.dev/ref/mod#goproxy-protocol.
func (m member) publish(proxy string) error {
	dir := filepath.Join(proxy, filepath.FromSlash(m.Path), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	gomod, err := os.ReadFile(filepath.Join(m.Dir, "go.mod"))
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"list":            []byte(version + "\n"),
		version + ".info": []byte(`{"Version":"` + version + `"}`),
		version + ".mod":  gomod,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	var content bytes.Buffer
	if err := zip.CreateFromDir(&content, module.Version{Path: m.Path, Version: version}, m.Dir); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, version+".zip"), content.Bytes(), 0o644)
}

// unpack unpacks the module into a folder of its own.
func unpack(path, dir, proxy string) error {
	archive := filepath.Join(proxy, filepath.FromSlash(path), "@v", version+".zip")
	return zip.Unzip(dir, module.Version{Path: path, Version: version}, archive)
}

// build unpacks the module into a folder of its own and vets it there, tests included.
func (m member) build(dir string, at place) error {
	if err := unpack(m.Path, dir, at.proxy); err != nil {
		return err
	}
	_, err := at.command(dir, "go", "vet", "./...")
	return err
}

// A place is where modules are built: outside the workspace.
type place struct {
	proxy string
	env   []string
}

// newPlace returns a place that gets the repository's modules from the proxy, and others from where
// the go command gets them usually.
func newPlace(proxy, cache string) (place, error) {
	before, err := exec.Command("go", "env", "GOPROXY", "GOMODCACHE").Output()
	if err != nil {
		return place{}, err
	}
	lines := strings.Split(string(before), "\n")
	others := "file://" + filepath.ToSlash(filepath.Join(lines[1], "cache", "download"))
	return place{proxy, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -buildvcs=false -trimpath", "GOMODCACHE="+cache, "GONOSUMDB="+members,
		"GOPROXY=file://"+filepath.ToSlash(proxy)+","+others+","+lines[0])}, nil
}

// command runs a command in a folder of the place, and returns what it printed. An error holds its
// messages.
func (p place) command(dir, name string, args ...string) (string, error) {
	var out, said strings.Builder
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, p.env, &out, &said
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", filepath.Base(name), strings.Join(args, " "), err, out.String(), said.String())
	}
	return out.String(), nil
}

// members are the paths without published checksums.
const members = "github.com/uidgen/uid,github.com/uidgen/uid/*"

// makeWritable makes the folders of a module cache removable.
func makeWritable(cache string) error {
	err := filepath.WalkDir(cache, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			err = os.Chmod(path, 0o755)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
