package measure

import (
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/uidgen/uid/benchmarks/subject"
)

const (
	// mostWaited is the share of its processor time for which a measurement may have waited.
	mostWaited = 0.1
	// mostRepeats is how often a measurement that waited for longer is repeated.
	mostRepeats = 3
)

// The units of what is said of processor time: how often a round was repeated because other
// programs had the processors, and the share of its time for which the last attempt waited.
const (
	RepeatsUnit = "repeats"
	WaitedUnit  = "waited/processor-time"
)

// Waited tells whether a recorded share is more than a measurement should wait.
func Waited(share float64) bool { return share > mostWaited }

// waits is for how long everything that can wait for a processor has waited so far.
type waits map[string]time.Duration

// since returns for how long things waited since an earlier reading that both readings know.
func (w waits) since(earlier waits) (sum time.Duration) {
	for name, now := range w {
		if was, ok := earlier[name]; ok {
			sum += now - was
		}
	}
	return sum
}

// A supervisor repeats what did not get its processor time.
type supervisor struct {
	read func() (waits, error)
	now  func() time.Time
}

var supervised = supervisor{readWaits, time.Now}

// run measures with so many processors, again while it waited for them for too long, and
// returns what there is to say of that. A server and its clients wait for one another's
// processors: these measurements are run once, and nothing is said.
func (v supervisor) run(s subject.Subject, procs int, measure func() error) ([]benchfmt.Value, error) {
	if s.Engine != subject.NoEngine {
		return nil, measure()
	}
	for repeats := 0; ; repeats++ {
		before, err := v.read()
		if err != nil {
			return nil, err
		}
		began := v.now()
		if err := measure(); err != nil {
			return nil, err
		}
		took := v.now().Sub(began)
		after, err := v.read()
		if err != nil {
			return nil, err
		}
		waited := after.since(before).Seconds() / max(took.Seconds()*float64(procs), 1e-9)
		if repeats < mostRepeats && Waited(waited) {
			continue
		}
		return []benchfmt.Value{value(float64(repeats), RepeatsUnit), value(waited, WaitedUnit)}, nil
	}
}
