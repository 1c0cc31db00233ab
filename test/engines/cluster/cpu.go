package cluster

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// CPU returns the processor time that the server has used since it was started, with all
// processes that it has started: those that run, and those that have ended.
func (s *Server) CPU() (sum time.Duration, err error) {
	run := s.current()
	if run == nil || run.HasEnded() {
		return 0, fmt.Errorf("cluster: %s is not running", s.name)
	}
	for _, pid := range tree(run.PID(), false) {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			continue // it has just ended
		}
		// After the name in parentheses: state, parent, ..., and as the 12th to 15th the hundredths
		// of seconds of the process and of its children that have ended.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 15 {
			return 0, fmt.Errorf("cluster: /proc/%d/stat has %d fields", pid, len(fields))
		}
		for _, f := range fields[11:15] {
			n, err := strconv.ParseInt(string(f), 10, 64)
			if err != nil {
				return 0, fmt.Errorf("cluster: /proc/%d/stat: %w", pid, err)
			}
			sum += time.Duration(n) * (time.Second / 100)
		}
	}
	return sum, nil
}
