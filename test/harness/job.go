package harness

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
)

// jobEnv, with a job, makes the program a process of a test.
const jobEnv = "UID_TEST_JOB"

// Spawn starts the running program with a job, which becomes JSON. The file of the Program is for [Ordered].
func Spawn(job any, c Program) (*Process, error) {
	c.Env = append([]string{variable(job)}, c.Env...)
	return Start(c)
}

// Command is Spawn for who starts it himself. There is no file.
func Command(job any) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), variable(job), "GORACE=atexit_sleep_ms=0") // a second at each exit, under -race
	cmd.Stderr = os.Stderr
	return cmd
}

func variable(job any) string {
	text, err := json.Marshal(job)
	if err != nil {
		panic(err)
	}
	return jobEnv + "=" + string(text)
}

// Ordered is for the started process. If there is a job, it does it with the file, and exits. Else it
// does nothing.
func Ordered[Job any](do func(j Job, file *os.File) error) {
	text := os.Getenv(jobEnv)
	if text == "" {
		return
	}
	var j Job
	err := json.Unmarshal([]byte(text), &j)
	if err == nil {
		err = do(j, os.NewFile(3, "shared"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
