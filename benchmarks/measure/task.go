package measure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"golang.org/x/perf/benchfmt"

	"github.com/uidgen/uid/benchmarks/subject"
)

// A Task is one measurement.
type Task struct {
	Phase    string
	Estimate time.Duration // how long it takes
	Run      func(*Recorder) error
}

// Phases are the names of the measures, in the order in which they are taken.
var Phases = []string{"scale", "latency", "allocations", "memory", "idle", "lead", "paced", "fairness", "unique", "insert"}

// Plan returns the tasks of the phases. The first task that needs the database calls db.
func Plan(p Profile, subjects []subject.Subject, phases []string, db func() (*sqlx.DB, error)) ([]Task, error) {
	var tasks []Task
	for _, phase := range phases {
		switch phase {
		case "scale":
			tasks = append(tasks, scale(p, subjects)...)
		case "latency":
			tasks = append(tasks, latency(p, subjects)...)
		case "allocations":
			tasks = append(tasks, allocations(p, subjects)...)
		case "memory":
			tasks = append(tasks, memory(p, subjects)...)
		case "idle":
			tasks = append(tasks, idle(p, subjects)...)
		case "lead":
			tasks = append(tasks, lead(p)...)
		case "paced":
			tasks = append(tasks, paced(p, subjects)...)
		case "fairness":
			tasks = append(tasks, fairness(p)...)
		case "unique":
			tasks = append(tasks, unique(p, subjects)...)
		case "insert":
			tasks = append(tasks, insert(p, db)...)
		default:
			return nil, fmt.Errorf("no phase %q: there are %s", phase, strings.Join(Phases, ", "))
		}
	}
	return tasks, nil
}

// inRounds repeats the cells in rounds, each in another order. The orders are the same in
// every run.
func inRounds(rounds int, cells []Task) []Task {
	var out []Task
	for round := range rounds {
		r := rand.New(rand.NewPCG(uint64(round), 0))
		for _, i := range r.Perm(len(cells)) {
			out = append(out, cells[i])
		}
	}
	return out
}

// A Recorder writes results.
type Recorder struct {
	out    *benchfmt.Writer
	config []benchfmt.Config
}

// NewRecorder returns a recorder that writes the configuration with its results.
func NewRecorder(out *benchfmt.Writer, config []benchfmt.Config) *Recorder {
	return &Recorder{out: out, config: config}
}

// record writes one result: its name in parts ("Scale", "subject=x"), GOMAXPROCS, and pairs
// of value and unit.
func (r *Recorder) record(name string, procs, n int, values ...benchfmt.Value) error {
	return r.out.Write(&benchfmt.Result{
		Config: r.config,
		Name:   fmt.Appendf(nil, "%s-%d", name, procs),
		Iters:  n,
		Values: values,
	})
}

// value rounds away digits that mean nothing.
func value(v float64, unit string) benchfmt.Value {
	if v != math.Trunc(v) || math.Abs(v) >= 1e9 {
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 5, 64), 64)
	}
	return benchfmt.Value{Value: v, Unit: unit}
}

// withProcs runs f with GOMAXPROCS set to procs.
func withProcs(procs int, f func() error) error {
	was := runtime.GOMAXPROCS(0)
	if procs != was {
		runtime.GOMAXPROCS(procs)
		defer runtime.GOMAXPROCS(was)
	}
	return f()
}
