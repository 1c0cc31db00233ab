package explore

import (
	"fmt"
	"math/rand/v2"
)

// A Scenario makes what is to be tested, and adds tasks. It is called once for each schedule.
type Scenario func(*Run)

// A Search says which schedules to run.
type Search struct {
	// Preemptions is how often a task that could go on is passed over, at most. All such schedules are run.
	Preemptions int
	// Random is how many random schedules are run instead, if it is not 0. Changes is how often priorities change
	// in each of them.
	Random, Changes int
	// Whole has the tasks be goroutines.
	Whole bool
	// Over, if it is not nil, ends the search when it returns true.
	Over func() bool
}

// A Result is what a search has come to.
type Result struct {
	Schedules, Steps int
	// All is whether no schedule was left out for Over's sake, or since one has failed.
	All bool
	// Strayed is in how many schedules the code did not do what it had done before: a select has chosen otherwise.
	Strayed int

	// Err is nil, or how a run has failed; Schedule is that run's, and Trace its steps, by the replay.
	Err      error
	Schedule string
	Trace    []string
}

// Run searches for a schedule in which the scenario fails.
func (s Search) Run(scenario Scenario) Result {
	if s.Random > 0 {
		return s.random(scenario)
	}
	return s.all(scenario)
}

// try runs a scenario once.
func (s Search) try(scenario Scenario, tracing bool, choose func(*Run) chooser) *Run {
	r := &Run{tracing: tracing, engine: &coroutines{}}
	if s.Whole {
		r.engine = newGoroutines()
	}
	current = r
	defer func() { current = nil }()
	scenario(r)
	r.execute(choose(r))
	return r
}

// A fork is a point at which several tasks could go on.
type fork struct{ taken, ways int }

// all walks through the schedules, depth first.
func (s Search) all(scenario Scenario) (res Result) {
	var forks []fork
	for {
		depth, preempted := 0, 0
		r := s.try(scenario, false, func(*Run) chooser {
			return func(can []*task, stays bool) int {
				if stays && preempted == s.Preemptions {
					return 0
				}
				if depth < len(forks) && forks[depth].ways != len(can) {
					if !s.Whole {
						panic("explore: the scenario does not do the same in each run")
					}
					res.Strayed++
					forks = forks[:depth]
				}
				if depth == len(forks) {
					forks = append(forks, fork{0, len(can)})
				}
				taken := forks[depth].taken
				depth++
				if stays && taken > 0 {
					preempted++
				}
				return taken
			}
		})
		res.add(r)
		if r.err != nil {
			return s.failed(res, r, scenario)
		}
		forks = forks[:min(depth, len(forks))]
		for len(forks) > 0 && forks[len(forks)-1].taken+1 == forks[len(forks)-1].ways {
			forks = forks[:len(forks)-1]
		}
		res.All = len(forks) == 0
		if res.All || s.Over != nil && s.Over() {
			return res
		}
		forks[len(forks)-1].taken++
	}
}

// random has the task with the highest priority go on. Priorities are random; at some points the one that runs gets the
// lowest so far.
func (s Search) random(scenario Scenario) (res Result) {
	longest := 1
	for n := range s.Random {
		dice := rand.New(rand.NewPCG(uint64(n), 0))
		r := s.try(scenario, false, func(r *Run) chooser {
			for i, p := range dice.Perm(len(r.tasks)) {
				r.tasks[i].lane = s.Changes + p
			}
			changes := map[int]int{}
			for lane := range s.Changes {
				changes[dice.IntN(longest)] = lane
			}
			return func(can []*task, stays bool) int {
				if lane, change := changes[r.steps]; change && stays {
					can[0].lane = lane
				}
				best := 0
				for i := range can {
					if can[i].lane > can[best].lane {
						best = i
					}
				}
				return best
			}
		})
		longest = max(longest, r.steps)
		res.add(r)
		if r.err != nil {
			return s.failed(res, r, scenario)
		}
		if s.Over != nil && s.Over() {
			return res
		}
	}
	res.All = true
	return res
}

func (res *Result) add(r *Run) {
	res.Schedules++
	res.Steps += r.steps
}

// failed replays a run that has failed, for its trace. Where select chooses, that may need several replays.
func (s Search) failed(res Result, r *Run, scenario Scenario) Result {
	res.Err, res.Schedule = r.err, encode(r.path)
	again := s.Replay(res.Schedule, scenario)
	for n := 0; s.Whole && again.Err == nil && n < 100; n++ {
		again = s.Replay(res.Schedule, scenario)
	}
	if again.Err == nil || again.Err.Error() != res.Err.Error() {
		res.Err = fmt.Errorf("%w (and the replay: %v)", res.Err, again.Err)
	}
	res.Trace = again.Trace
	return res
}

// Replay runs a scenario under a schedule that a failure has printed. Beyond its end, or where it no longer fits, tasks
// go on as long as they can.
func (s Search) Replay(schedule string, scenario Scenario) Result {
	path := decode(schedule)
	r := s.try(scenario, true, func(r *Run) chooser {
		return func(can []*task, _ bool) int {
			for i, t := range can {
				if r.steps < len(path) && r.letter(t) == path[r.steps] {
					return i
				}
			}
			return 0
		}
	})
	return Result{Schedules: 1, Steps: r.steps, Err: r.err, Schedule: encode(r.path), Trace: r.trace}
}
