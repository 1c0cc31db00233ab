package measure

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/jmoiron/sqlx"
	"golang.org/x/perf/benchfmt"

	"github.com/uidgen/uid/benchmarks/subject"
)

// Phases are the names of the measures, in the order in which they are taken.
var Phases = []string{
	"scale", "latency", "allocations", "memory", "idle", "lead", "paced", "fairness", "unique", "insert",
}

// A Task is one measurement.
type Task struct {
	Phase    string
	Estimate time.Duration // how long it takes
	Run      func(*Recorder) error
}

// Plan returns the tasks of the phases. The first task that needs the database calls db.
func Plan(p Profile, subjects []subject.Subject, phases []string, db func() (*sqlx.DB, error)) ([]Task, error) {
	cellsOf := map[string]func(Profile, []subject.Subject) []cell{
		"scale": scale, "latency": latency, "allocations": allocations, "memory": memory, "idle": idle,
		"lead": lead, "paced": paced, "fairness": fairness, "unique": unique,
		"insert": func(p Profile, _ []subject.Subject) []cell { return insert(p, db) },
	}
	roundsOf := map[string]int{"unique": p.UniqueRounds, "idle": 1} // which watches several times
	var tasks []Task
	for _, phase := range phases {
		cells, ok := cellsOf[phase]
		if !ok {
			return nil, fmt.Errorf("no phase %q: there are %s", phase, strings.Join(Phases, ", "))
		}
		tasks = append(tasks, inRounds(phase, cmp.Or(roundsOf[phase], p.Rounds), cells(p, subjects))...)
	}
	return tasks, nil
}

// inRounds returns the tasks that measure the cells in rounds, each in another order. The
// orders are the same in every run.
func inRounds(phase string, rounds int, cells []cell) []Task {
	tasks := make([]Task, len(cells))
	for i, c := range cells {
		tasks[i] = c.task(phase, rounds)
	}
	var out []Task
	for round := range rounds {
		for _, i := range rand.New(rand.NewPCG(uint64(round), 0)).Perm(len(cells)) {
			out = append(out, tasks[i])
		}
	}
	return out
}

// A cell is what is measured once in each round.
type cell struct {
	name     string // in the results: "Scale/subject=xid/goroutines=8"
	procs    int    // GOMAXPROCS; 0 leaves it as it is
	busy     int    // how many processors must be free for it; 0 if nobody looks
	estimate time.Duration
	measure  func(last bool) ([]result, error) // last in the last round
}

// A result is a line of the results.
type result struct {
	n      int
	calls  *hdrhistogram.Histogram // of single calls, whose percentiles come first; nil if none were timed
	values []benchfmt.Value
}

// one returns a single result.
func one(n int, values ...benchfmt.Value) []result { return []result{{n: n, values: values}} }

// task returns a task to be run once in each round. The last one records the calls of all
// rounds together, too.
func (c cell) task(phase string, rounds int) Task {
	all, round := make(merged), 0
	return Task{Phase: phase, Estimate: c.estimate, Run: func(r *Recorder) (err error) {
		round++
		was := runtime.GOMAXPROCS(0)
		procs := cmp.Or(c.procs, was)
		var results []result
		said, err := supervised.run(c.busy, func() error {
			if procs != was {
				runtime.GOMAXPROCS(procs)
				defer runtime.GOMAXPROCS(was)
			}
			results, err = c.measure(round == rounds)
			return err
		})
		for _, x := range results {
			if x.calls != nil {
				all.add(x.calls)
				x.n, x.values = int(x.calls.TotalCount()), append(percentiles(x.calls), x.values...)
			}
			if err == nil {
				err = r.record(c.name, procs, x.n, append(x.values, said...)...)
			}
		}
		if err == nil && round == rounds && len(all) > 0 {
			h := all.histogram()
			err = r.record(strings.Replace(c.name, "/", MergedSuffix+"/", 1),
				procs, int(h.TotalCount()), percentiles(h)...)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		return nil
	}}
}

// A Recorder writes results, with the configuration.
type Recorder struct {
	Out    *benchfmt.Writer
	Config []benchfmt.Config
}

func (r *Recorder) record(name string, procs, n int, values ...benchfmt.Value) error {
	return r.Out.Write(&benchfmt.Result{
		Config: r.Config, Name: fmt.Appendf(nil, "%s-%d", name, procs), Iters: n, Values: values,
	})
}

// value rounds away digits that mean nothing.
func value(v float64, unit string) benchfmt.Value {
	if v != math.Trunc(v) || math.Abs(v) >= 1e9 {
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 5, 64), 64)
	}
	return benchfmt.Value{Value: v, Unit: unit}
}
