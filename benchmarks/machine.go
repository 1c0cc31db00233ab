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

// localMachine describes the machine, and names it by nothing but what it is made of.
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

// commandLine returns what to type in this folder; the program itself may lie anywhere.
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
