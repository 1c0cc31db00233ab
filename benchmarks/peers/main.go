// Command peers plays what goes wrong with generators of IDs, here and with other libraries, each at its default
// settings and in processes of their own, and writes what came of it into docs/evidence/peers.md and README.md.
//
//	go run ./peers
//
// The clock of a process is moved by an overlay of time.Now: wall time jumps, the monotonic clock and timers go on, as
// after clock_settime. No clock of the machine is touched.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/report"
)

// What is written.
const page, readme = "../docs/evidence/peers.md", "../README.md"

// taskEnv is the variable with the task of a child.
const taskEnv = "PEERS_TASK"

func main() {
	if text := os.Getenv(taskEnv); text != "" {
		var t task
		check(json.Unmarshal([]byte(text), &t))
		check(child(t, os.Stdin, os.Stdout))
		return
	}
	only := flag.String("only", "", "plays and writes the `rows` whose titles contain this")
	flag.Parse()
	dir := must(os.MkdirTemp("", "peers-"))
	defer os.RemoveAll(dir)
	server := must(cluster.StartMariaDB("peers"))
	defer server.Close()
	s := stage{dir: dir, exe: build(dir), server: server}
	s.mustFindRepeats()
	long, brief := &report.Table{Header: table.Row{""}}, &report.Table{Header: table.Row{""}}
	for _, c := range shown {
		long.Header = append(long.Header, c.title)
		brief.Header = append(brief.Header, c.title)
	}
	var differ []string // what is otherwise in MariaDB
	for i, scene := range scenes {
		if !strings.Contains(scene.title, *only) {
			continue
		}
		full, short := table.Row{scene.title}, table.Row{scene.title}
		for _, c := range shown {
			cell := scene.play(s, c)
			full, short = append(full, cell.long), append(short, cell.brief)
		}
		if there := scene.play(s, mariaDB); there.brief != short[1] {
			differ = append(differ, fmt.Sprintf("%s: %s.", scene.title, there.long))
		}
		fmt.Fprintln(os.Stderr, full, short, differ)
		long.Add(i, full...)
		if !scene.long {
			brief.Add(i, short...)
		}
	}
	if *only != "" {
		replace(page, long.Markdown())
		replace(readme, brief.Markdown())
		return
	}
	load := strings.Fields(string(must(os.ReadFile("/proc/loadavg"))))[0]
	versions := strings.TrimSpace(string(must(exec.Command("go", "list", "-m", "github.com/bwmarrin/snowflake",
		"github.com/sony/sonyflake/v2", "github.com/google/uuid").Output())))
	check(report.Fill(page, "peers", fmt.Sprintf(
		"%s\n\nA lease in MariaDB %s, where it differs: %s\n\n%s; %s, %d processors, load %s at the end.",
		long.Markdown(), must(server.Version()), strings.Join(differ, " "), strings.ReplaceAll(versions, "\n", ", "),
		runtime.Version(), runtime.NumCPU(), load)))
	check(report.Fill(readme, "peers", brief.Markdown()))
}

// replace puts a table's rows in place of those with the same titles in a file.
func replace(file, table string) {
	text := string(must(os.ReadFile(file)))
	for _, row := range strings.Split(table, "\n")[2:] {
		title := regexp.QuoteMeta(row[:strings.Index(row, " | ")])
		text = regexp.MustCompile(`(?m)^`+title+` \| .*$`).ReplaceAllLiteralString(text, row)
	}
	check(os.WriteFile(file, []byte(text), 0o644))
}

// build compiles this program with a clock that it can move.
func build(dir string) (exe string) {
	root := strings.TrimSpace(string(must(exec.Command("go", "env", "GOROOT").Output())))
	source := filepath.Join(root, "src", "time", "time.go")
	const before, after = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n", `
	at := int64(nsec) + Moved
	sec, nsec = sec+at/1e9, int32(at%1e9)
	if nsec < 0 {
		sec, nsec = sec-1, nsec+1e9
	}
`
	text, found := string(must(os.ReadFile(source))), false
	head, tail, found := strings.Cut(text, before)
	if !found {
		panic(source + " is not what this program knows how to change")
	}
	kept := filepath.Join(os.TempDir(), "uid-peers") // under the same name each time, or all is compiled anew
	check(os.MkdirAll(kept, 0o700))
	moved, overlay := filepath.Join(kept, "time.go"), filepath.Join(kept, "overlay.json")
	check(os.WriteFile(moved, []byte(head+"var Moved int64\n\n"+before+after+tail), 0o644))
	check(os.WriteFile(overlay, must(json.Marshal(map[string]any{"Replace": map[string]string{source: moved}})), 0o644))
	exe = filepath.Join(dir, "peers.exe")
	cmd := exec.Command("go", "build", "-tags", "moved", "-overlay", overlay, "-o", exe, "./peers")
	cmd.Stderr = os.Stderr
	check(cmd.Run())
	return exe
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// must returns what a call has that the program cannot go on without.
func must[V any](v V, err error) V {
	check(err)
	return v
}
