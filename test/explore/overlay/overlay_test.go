package overlay

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const source = `package a

import (
	"sync"
	"sync/atomic"
)

const size = 16

func f() {
	go func() { g() }()
	go g(1, 2)
}
`

func TestRewrite(t *testing.T) {
	out, err := rewrite("a.go", []byte(source), true)
	require.NoError(t, err)
	require.Equal(t, `package a; import started "github.com/uidgen/uid/test/explore"

import (
	sync "github.com/uidgen/uid/test/explore"
	atomic "github.com/uidgen/uid/test/explore"
)

const size = 16

func f() {
	started.Go(func() { g() })
	started.Go(g, 1, 2)
}
`, string(out))
	out, err = rewrite("a.go", []byte(source), false)
	require.NoError(t, err)
	require.Contains(t, string(out), "\tgo g(1, 2)\n")
	_, err = rewrite("a.go", []byte("package a\n\nimport s \"sync\"\n"), false)
	require.ErrorContains(t, err, "a.go:3:8: sync under another name")
}

func TestWrite(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	a, test := write("a/a.go", source), write("a/a_test.go", "package a\n")
	write("a/plain.go", "package a\n")
	scene := write(Scenarios+"/a/scene.go", "package a\n\n//explore:edit a.go size = 16 => size = 2\n")
	read := func(changed map[string][]byte) string {
		file, err := Write(t.TempDir(), root, false, changed)
		require.NoError(t, err)
		var overlay struct{ Replace map[string]string }
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &overlay))
		out := overlay.Replace[a]
		delete(overlay.Replace, a)
		scenario := filepath.Join(root, "a/scene_explore_test.go")
		require.Equal(t, map[string]string{test: "", scenario: scene}, overlay.Replace)
		text, err = os.ReadFile(out)
		require.NoError(t, err)
		return string(text)
	}
	require.Contains(t, read(nil), "const size = 2\n")
	changed := map[string][]byte{"a/a.go": []byte(strings.Replace(source, "1, 2", "3", 1))}
	require.Contains(t, read(changed), "started.Go(g, 3)")
	write(Scenarios+"/a/scene.go", "package a\n\n//explore:edit a.go size = 17 => size = 2\n")
	_, err := Write(t.TempDir(), root, false, nil)
	require.ErrorContains(t, err, "0 times")
}
