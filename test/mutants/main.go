// Mutants puts faults into the code, one at a time, and runs the tests that are to notice. A test
// that has never failed proves little. The sources are not touched: the compiler is given an overlay.
//
// There are two kinds. Guards are faults that somebody thought of: each removes a rule that uniqueness
// rests on. They stand beside the code, in testdata/mutants.txt, and each has to be caught. Slips
// are made by a program, from the syntax of the code: a condition turned round, a statement left out, two
// swapped. Some change nothing that could be seen, so what counts is the score of each package.
//
//	go run ./test/mutants [-changed revision] [-run regexp] [-slips n] [-j n] [-v]
//
// Without -changed it takes all guards; with it, those of packages that have changed since the revision, they or the
// tests. -slips adds at most so many slips in these packages, first of all in lines that have changed. -run takes only
// what matches.
//
// Those in bodies of functions are compiled at once, one program for each folder of tests, and an environment variable
// chooses one. The others have a program each.
//
// A mutant is caught when a test fails or the program under test panics. Tests that take too long have
// not noticed anything, unless the guard says that it hangs.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"time"
)

func main() {
	since := flag.String("changed", "", "take the mutants of what has changed since this revision")
	only := flag.String("run", "", "take only mutants whose file or name matches")
	most := flag.Int("slips", 0, "how many slips to make at most")
	loud := flag.Bool("v", false, "print what the tests said of mutants that were caught")
	jobs := flag.Int("j", runtime.NumCPU(), "mutants to test at the same time")
	flag.Parse()
	survived, err := run(*since, *only, *most, *jobs, *loud)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	if survived > 0 {
		fmt.Printf("%d guards were not caught\n", survived)
		os.Exit(1)
	}
}

// run returns how many guards survived.
func run(since, only string, most, jobs int, loud bool) (survived int, err error) {
	re, err := regexp.Compile(only)
	if err != nil {
		return 0, err
	}
	others := func(m mutant) bool { return !re.MatchString(m.file) && !re.MatchString(m.name) }
	chosen, err := readGuards(".")
	if err != nil {
		return 0, err
	}
	changed := everything
	if since != "" {
		if changed, err = changedSince(since); err != nil {
			return 0, err
		}
		chosen = slices.DeleteFunc(chosen, func(m mutant) bool { return !changed.in(filepath.Dir(m.file), m.source()) })
	}
	chosen = slices.DeleteFunc(chosen, others)
	if most > 0 {
		slips, err := makeSlips(changed)
		if err != nil {
			return 0, err
		}
		slips = slices.DeleteFunc(slips, others)
		chosen = append(chosen, slips[:min(most, len(slips))]...)
	}
	return try(chosen, jobs, loud), nil
}

// try tests the mutants, prints what becomes of each, and the score of each package's slips. It returns
// how many guards survived.
func try(chosen []mutant, jobs int, loud bool) (survived int) {
	var mu sync.Mutex
	scores := scores{}
	say := func(m *mutant, v verdict, took time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Printf("%s: %s: %v, %.1f s\n", m.place(), m.name, v, took.Seconds())
		if m.slip {
			scores.add(m, v)
		} else if v.fate != caught {
			survived++
		}
		if loud {
			fmt.Println(v.output)
		} else if !m.slip && v.fate != caught {
			fmt.Println(ending(v.output))
		}
	}
	slots := make(chan struct{}, jobs)
	turn := func(f func()) {
		slots <- struct{}{}
		defer func() { <-slots }()
		f()
	}
	var wg sync.WaitGroup
	open := make(chan struct{}, jobs) // not all programs are kept at once
	for _, g := range grouped(chosen) {
		open <- struct{}{}
		wg.Go(func() {
			defer func() { <-open }()
			g.try(turn, say)
		})
	}
	wg.Wait()
	scores.print()
	return survived
}
