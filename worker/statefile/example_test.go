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

// The ID of a StatefulSet's pod, with what was issued under it kept on the pod's volume.
// In the pod itself the source is worker.HostOrdinalID().
func ExampleNew() {
	volume, err := os.MkdirTemp("", "uid-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(volume)

	for range 2 { // two starts of the pod
		w, err := statefile.New(filepath.Join(volume, "uid.state"), worker.OrdinalID("web-12"), statefile.Config{
			Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		generator, err := cached.New(w, cached.Config{})
		if err != nil {
			fmt.Println(err)
			return
		}
		u, err := generator.GetUID()
		if err != nil {
			fmt.Println(err)
			return
		}
		parts, err := generator.ParseUID(u)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(parts.WorkerID)
		if err := generator.Close(); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// 12
	// 12
}
