// Cron is a job that runs for a moment, often: every minute, say. The file keeps what was issued
// under the worker ID, so that a run never repeats the UIDs of the one before, even if that was
// killed or the clock was set back since; and its lock ends a run that begins before the last one has
// ended.
//
//	UID_STATE_FILE=/var/lib/uid/cron.state UID_WORKER_ID=7 cron
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/uidgen/uid"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/statefile"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) (err error) {
	// A run after one that was killed begins where the reservation of that one ended. With a short Window
	// that is a tick or two ahead of the clock; a job has no outage of its disk to bridge.
	cfg := statefile.Config{Window: time.Second}
	w, err := statefile.New(os.Getenv("UID_STATE_FILE"), worker.EnvID("UID_WORKER_ID"), cfg)
	if err != nil {
		return err
	}
	// Uncached makes a UID when it is asked for one, and nothing ahead that a short run would not use.
	uids, err := uncached.New(w, uncached.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, uids.Close()) }()

	keys := make([]uid.UID, 5000) // the keys of the rows that the job writes
	if _, err := uids.FillContext(ctx, keys); err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	defer func() { err = errors.Join(err, out.Flush()) }()
	for _, key := range keys {
		fmt.Fprintln(out, key)
	}
	return nil
}
