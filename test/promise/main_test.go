package promise

import (
	"flag"
	"testing"
	"time"

	"github.com/uidgen/uid/internal/tenure"
	"github.com/uidgen/uid/test/engines/cluster"
)

// TestMain plays six cells at a time, unless the command line says more: most of the time they
// wait.
func TestMain(m *testing.M) {
	flag.Parse()
	parallel := flag.Lookup("test.parallel").Value
	if n, is := parallel.(flag.Getter).Get().(int); is && n < 6 {
		if err := parallel.Set("6"); err != nil {
			panic(err)
		}
	}
	tenure.Hasten(20 * time.Millisecond)
	cluster.Main(m)
}
