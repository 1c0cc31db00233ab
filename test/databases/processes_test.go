package databases_test

import (
	"flag"
	"os"
	"testing"

	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/harness"
)

// A job is what the test binary does as a process of its own, with a store.
type job struct {
	Do    string // a key of jobs
	Store store
	To    string // where it is mounted
}

var jobs = map[string]func(job) error{"hot": writeHalf, "start": tryAll}

func TestMain(m *testing.M) {
	harness.Ordered(func(j job, _ *os.File) error { return jobs[j.Do](j) })
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // they wait more than they work
		panic(err)
	}
	cluster.Main(m)
}
