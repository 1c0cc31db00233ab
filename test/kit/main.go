package kit

import (
	"flag"
	"strconv"
	"testing"

	"github.com/uidgen/uid/test/engines/cluster"
)

// Main is cluster.Main with so many tests at a time, unless the command line says more: most of the time they wait.
func Main(m *testing.M, atOnce int) {
	flag.Parse()
	parallel := flag.Lookup("test.parallel").Value
	if n, is := parallel.(flag.Getter).Get().(int); is && n < atOnce {
		if err := parallel.Set(strconv.Itoa(atOnce)); err != nil {
			panic(err)
		}
	}
	cluster.Main(m)
}
