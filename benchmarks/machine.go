package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"
	"golang.org/x/perf/benchfmt"

	"github.com/uidgen/uid/benchmarks/measure"
)

// localMachine describes the machine by its parts alone, without its name.
func localMachine(p measure.Profile) []benchfmt.Config {
	var config []benchfmt.Config
	for _, c := range [][2]string{
		{"goos", runtime.GOOS},
		{"goarch", runtime.GOARCH},
		{"cpu", cpuName()},
		{"cores", strconv.Itoa(runtime.NumCPU())},
		{"gomaxprocs", strconv.Itoa(runtime.GOMAXPROCS(0))},
		{"go", runtime.Version()},
		{"date", time.Now().UTC().Format(time.DateOnly)},
		{"command", commandLine(os.Args)},
		{"profile", p.Name},
		{"rounds", strconv.Itoa(p.Rounds)},
	} {
		config = append(config, benchfmt.Config{Key: c[0], Value: []byte(c[1]), File: true})
	}
	return config
}

func cpuName() string {
	if name := strings.TrimSpace(cpuid.CPU.BrandName); name != "" {
		return name
	}
	return runtime.GOARCH
}

// commandLine returns the command to type in this folder, wherever the binary is.
func commandLine(args []string) string {
	words := []string{"go run ."}
	for _, a := range args[1:] {
		if filepath.IsAbs(a) {
			a = filepath.Base(a)
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}
