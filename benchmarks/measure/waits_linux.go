package measure

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// readWaits returns how long each thread of the process has been ready to run without a
// processor so far and, as "steal", how long the machine's processors were with other machines.
func readWaits() (waits, error) {
	w := make(waits)
	threads, err := filepath.Glob("/proc/self/task/*/schedstat")
	if err != nil {
		return nil, err
	}
	for _, path := range threads {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // the thread has ended, or the kernel does not tell
		}
		fields := bytes.Fields(text) // time on a processor, time waiting for one, turns
		if len(fields) < 2 {
			return nil, fmt.Errorf("%s: %.40q has no two fields", path, text)
		}
		ns, err := strconv.ParseInt(string(fields[1]), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		w[path] = time.Duration(ns)
	}
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return w, nil // there are machines that hide it
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	const name, steal, tick = 0, 8, 10 * time.Millisecond // in ticks of 1/100 s on all architectures
	if fields := bytes.Fields(first); len(fields) > steal && string(fields[name]) == "cpu" {
		ticks, err := strconv.ParseInt(string(fields[steal]), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("/proc/stat: %w", err)
		}
		w["steal"] = time.Duration(ticks) * tick
	}
	return w, nil
}
