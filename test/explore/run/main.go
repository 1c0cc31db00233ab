// Run explores the packages with lock-free code: see packages explore and overlay.
//
//	go run ./test/explore/run [-preemptions n] [-random n] [-limit d] [-run scenarios] [-replay schedule] [package...]
//
// It runs all scenarios of all packages that have any, or what matches. With -replay it runs one schedule of one
// scenario and prints each step.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"

	"github.com/uidgen/uid/test/explore/overlay"
)

func main() {
	preemptions := flag.Int("preemptions", 2, "how often a task that could go on is passed over, at most")
	random := flag.Int("random", 0, "run so many random schedules instead")
	limit := flag.Duration("limit", 0, "how long a scenario may take")
	only := flag.String("run", "", "scenarios, a regular expression")
	replay := flag.String("replay", "", "run this schedule, and print its steps")
	flag.Parse()
	env := os.Environ()
	set := func(name string, value any) { env = append(env, fmt.Sprintf("EXPLORE_%s=%v", name, value)) }
	set("PREEMPTIONS", *preemptions)
	set("RANDOM", *random)
	set("REPLAY", *replay)
	if *limit > 0 {
		set("LIMIT", *limit)
	}
	if err := run(env, *only, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "explore:", err)
		os.Exit(1)
	}
}

func run(env []string, only string, packages []string) (err error) {
	if len(packages) == 0 {
		if packages, err = overlay.Packages("."); err != nil {
			return err
		}
	}
	for _, whole := range []bool{false, true} {
		err = errors.Join(err, test(env, whole, only, packages))
	}
	return err
}

// noise is what go test -v says beside results.
var noise = regexp.MustCompile(`^=== | *--- PASS|^PASS$|\[no test|no tests to run`)

// test runs the scenarios of either kind.
func test(env []string, whole bool, only string, packages []string) error {
	dir, err := os.MkdirTemp("", "explore")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file, err := overlay.Write(dir, ".", whole, nil)
	if err != nil {
		return err
	}
	tests := "^TestExplore$/"
	if whole {
		tests = "^TestExploreWhole$/"
	}
	args := append(overlay.Flags(file), "-count", "1", "-timeout", "0", "-v", "-run", tests+"("+only+")")
	for _, p := range packages {
		args = append(args, "./"+strings.TrimPrefix(p, "./"))
	}
	cmd := exec.Command("go", append([]string{"test"}, args...)...)
	cmd.Env = append(env, "EXPLORE_OVERLAY="+file)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if line := lines.Text(); !noise.MatchString(line) {
			fmt.Println(line)
		}
	}
	return cmd.Wait()
}
