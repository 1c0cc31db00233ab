package explore

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// encode writes whose steps they were: A8B25A1.
func encode(path []byte) string {
	var b strings.Builder
	for len(path) > 0 {
		n := 1
		for n < len(path) && path[n] == path[0] {
			n++
		}
		fmt.Fprintf(&b, "%c%d", path[0], n)
		path = path[n:]
	}
	return b.String()
}

func decode(schedule string) (path []byte) {
	for schedule != "" {
		rest := strings.TrimLeft(schedule[1:], "0123456789")
		n, _ := strconv.Atoi(schedule[1 : len(schedule)-len(rest)])
		path = append(path, strings.Repeat(schedule[:1], n)...)
		schedule = rest
	}
	return path
}

var here = reflect.TypeFor[Run]().PkgPath() + "."

// tell notes a step: the line of code from which the operation is called.
func (r *Run) tell(t *task, op string) {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	frame, more := frames.Next()
	for more && strings.HasPrefix(frame.Function, here) {
		frame, more = frames.Next()
	}
	r.trace = append(r.trace, fmt.Sprintf("%4d %c %-10s %-14s %s:%d  %s", r.steps, r.letter(t), t.name, op,
		filepath.Base(frame.File), frame.Line, lineOf(frame.File, frame.Line)))
}

// lineOf returns a line of a file, or of what an overlay has in its place.
func lineOf(file string, line int) string {
	lines, known := sources[file]
	if !known {
		name := file
		if other := overlaid()[file]; other != "" {
			name = other
		}
		text, _ := os.ReadFile(name) // compiled elsewhere: the trace does without
		lines = strings.Split(string(text), "\n")
		sources[file] = lines
	}
	if line > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[line-1])
}

var sources = map[string][]string{}

// overlaid reads the overlay that the test was compiled with.
var overlaid = sync.OnceValue(func() map[string]string {
	var overlay struct{ Replace map[string]string }
	text, err := os.ReadFile(os.Getenv("EXPLORE_OVERLAY"))
	if err == nil {
		err = json.Unmarshal(text, &overlay)
	}
	if err != nil {
		return nil
	}
	return overlay.Replace
})
