package explore

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Scenarios are scenarios by name.
type Scenarios map[string]Scenario

// Test explores scenarios, each in a subtest, with coroutines. The environment says how:
//
//	EXPLORE_PREEMPTIONS   the bound, 2 by default; TestWhole has one less
//	EXPLORE_RANDOM        random schedules instead, so many
//	EXPLORE_LIMIT         how long each may take, a minute by default; then it is cut short, and says so
//	EXPLORE_REPLAY        one schedule only, with its steps
func Test(t *testing.T, scenarios Scenarios) { test(t, scenarios, false) }

// TestWhole explores them with goroutines.
func TestWhole(t *testing.T, scenarios Scenarios) { test(t, scenarios, true) }

func test(t *testing.T, scenarios Scenarios, whole bool) {
	s := Search{Whole: whole, Changes: 3,
		Preemptions: setting(t, "EXPLORE_PREEMPTIONS", 2, strconv.Atoi),
		Random:      setting(t, "EXPLORE_RANDOM", 0, strconv.Atoi),
	}
	if whole {
		s.Preemptions-- // a hundred times slower
	}
	limit := setting(t, "EXPLORE_LIMIT", time.Minute, time.ParseDuration)
	replay := os.Getenv("EXPLORE_REPLAY")
	for _, name := range slices.Sorted(maps.Keys(scenarios)) {
		t.Run(name, func(t *testing.T) {
			// Time stands still in the bubble, and so what measures it is outside.
			var over atomic.Bool
			s.Over = over.Load
			defer time.AfterFunc(limit, func() { over.Store(true) }).Stop()
			began := time.Now()
			var res Result
			bubble(t, func() {
				if replay != "" {
					res = s.Replay(replay, scenarios[name])
				} else {
					res = s.Run(scenarios[name])
				}
			})
			fmt.Fprintf(t.Output(), "%s: %s\n", t.Name(), res.summary(time.Since(began)))
			switch {
			case res.Err != nil:
				t.Errorf("%v\nschedule %s\n%s", res.Err, res.Schedule, strings.Join(res.Trace, "\n"))
			case replay != "":
				t.Logf("does not fail\n%s", strings.Join(res.Trace, "\n"))
			case res.Schedules == 1:
				t.Error("nothing was explored: the code was compiled without the overlay, or a single task runs")
			}
		})
	}
}

func (res Result) summary(took time.Duration) string {
	text := fmt.Sprintf("%d schedules of %d steps, %.1f s, %.0f a second", res.Schedules, res.Steps/res.Schedules,
		took.Seconds(), float64(res.Schedules)/took.Seconds())
	if !res.All && res.Err == nil {
		text += ", not all"
	}
	if res.Strayed > 0 {
		text += fmt.Sprintf(", %d strayed", res.Strayed)
	}
	return text
}

// bubble runs f in a bubble of its own. Goroutines of a failed run may be blocked there for good, of which synctest
// would make more than of the failure.
func bubble(t *testing.T, f func()) {
	ended := false
	defer func() {
		if p := recover(); p != nil && !ended {
			panic(p)
		}
	}()
	synctest.Test(t, func(*testing.T) {
		f()
		ended = true
	})
}

// setting reads a variable of the environment.
func setting[T any](t *testing.T, name string, value T, parse func(string) (T, error)) T {
	text := os.Getenv(name)
	if text == "" {
		return value
	}
	value, err := parse(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return value
}
