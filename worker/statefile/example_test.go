package statefile_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/statefile"
)

// must returns what a call returns that does not fail. A program looks at each error.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// The ID of a StatefulSet's pod, with what was issued under it kept on the pod's volume.
// In the pod itself the source is worker.HostOrdinalID().
func ExampleNew() {
	volume := must(os.MkdirTemp("", "uid-example-"))
	defer os.RemoveAll(volume)

	for range 2 { // two starts of the pod
		w := must(statefile.New(filepath.Join(volume, "uid.state"), worker.OrdinalID("web-12"), statefile.Config{
			Logger: slog.New(slog.DiscardHandler),
		}))
		generator := must(cached.New(w, cached.Config{}))
		fmt.Println(must(generator.ParseUID(must(generator.GetUID()))).WorkerID, generator.Close())
	}
	// Output:
	// 12 <nil>
	// 12 <nil>
}
