package measure

import (
	"os"
	"testing"
	"time"

	"github.com/prometheus/procfs"

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

// alone returns with how many processors a measurement is supervised: none if the subject has a
// server, since a server and its clients wait for one another's processors.
func alone(s subject.Subject, procs int) int {
	if s.Engine != subject.NoEngine {
		return 0
	}
	return procs
}

// waits is for how long everything that can wait for a processor has waited so far: threads by
// their IDs.
type waits map[int]time.Duration

// steal stands for the machine's processors while they were with other machines.
const steal = -1

// since returns for how long things waited since an earlier reading that both readings know.
func (w waits) since(earlier waits) (sum time.Duration) {
	for id, now := range w {
		if was, ok := earlier[id]; ok {
			sum += now - was
		}
	}
	return sum
}

// readWaits knows nothing where the system does not tell: elsewhere than on Linux.
func readWaits() waits {
	w := make(waits)
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return w
	}
	threads, _ := proc.AllThreads(os.Getpid())
	for _, t := range threads {
		if s, err := t.Schedstat(); err == nil { // it has not ended
			w[t.PID] = time.Duration(s.WaitingNanoseconds)
		}
	}
	if s, err := proc.Stat(); err == nil {
		w[steal] = time.Duration(s.CPUTotal.Steal * float64(time.Second))
	}
	return w
}

// A supervisor repeats what did not get its processor time.
type supervisor struct {
	read func() waits
	now  func() time.Time
}

var supervised = supervisor{readWaits, time.Now}

// run measures with so many processors, again while it waited for them for too long, and
// reports what there is to say of that. With none it measures once and says nothing.
func (v supervisor) run(b *testing.B, procs int, measure func() error) error {
	if procs == 0 {
		return measure()
	}
	for repeats := 0; ; repeats++ {
		before, began := v.read(), v.now()
		if err := measure(); err != nil {
			return err
		}
		took := v.now().Sub(began)
		waited := v.read().since(before).Seconds() / max(took.Seconds()*float64(procs), 1e-9)
		if repeats == mostRepeats || !Waited(waited) {
			b.ReportMetric(float64(repeats), RepeatsUnit)
			b.ReportMetric(waited, WaitedUnit)
			return nil
		}
	}
}
