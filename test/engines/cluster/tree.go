package cluster

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// family is a process with all its descendants.
type family []int

// tree returns a process and its descendants. It stops each before it looks for its children, so
// that none is missed, if told so.
func tree(pid int, stop bool) family {
	all := family{pid}
	if stop {
		_ = unix.Kill(pid, unix.SIGSTOP)
	}
	for i := 0; i < len(all); i++ {
		for _, child := range children(all[i]) {
			if stop {
				_ = unix.Kill(child, unix.SIGSTOP)
			}
			all = append(all, child)
		}
	}
	return all
}

// children returns the processes whose parent a process is.
func children(parent int) (all []int) {
	lists, _ := filepath.Glob("/proc/" + strconv.Itoa(parent) + "/task/*/children")
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, field := range bytes.Fields(text) {
			if pid, err := strconv.Atoi(string(field)); err == nil {
				all = append(all, pid)
			}
		}
	}
	return all
}

// kill kills all, and returns when they are gone.
func (f family) kill() {
	f.signal(unix.SIGKILL)
	for _, pid := range f[1:] {
		for began := time.Now(); alive(pid) && time.Since(began) < patience; {
			time.Sleep(time.Millisecond)
		}
	}
}

// alive reports whether a process runs; one that has ended and was not yet waited for does not.
func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	i := bytes.LastIndexByte(stat, ')') // the name before it may hold anything
	return err == nil && i >= 0 && i+2 < len(stat) && stat[i+2] != 'Z' && stat[i+2] != 'X'
}

func (f family) signal(s unix.Signal) {
	for _, pid := range f {
		_ = unix.Kill(pid, s)
	}
}
