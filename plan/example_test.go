package plan_test

import (
	"fmt"
	"time"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/plan"
)

func ExampleLayouts() {
	options, err := plan.Layouts(plan.Need{
		Rate: 2e6, Burst: 5e7, Workers: 500, RestartsPerDay: 20, Years: 30,
		From: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range options[:3] {
		fmt.Printf("%v: %.0f UIDs/s; of %d worker IDs, disposable ones last %.2f days; full in %d; a lead of %v\n",
			o.Layout, o.Sustained, o.WorkerIDs, o.DisposableDays, o.Full.Year(), o.Lead)
	}

	_, err = plan.Layouts(plan.Need{Rate: 2e6, Workers: 500, Years: 30, JSSafe: true,
		From: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)})
	fmt.Println(err)
	// Output:
	// 41/10/12 unit=1ms epoch=2010-11-04T01:42:54.657Z: 4096000 UIDs/s; of 1024 worker IDs, disposable ones last 0.05 days; full in 2080; a lead of 12.208s
	// 30/11/22 unit=1s epoch=2026-01-01T00:00:00Z: 4194304 UIDs/s; of 2048 worker IDs, disposable ones last 0.15 days; full in 2060; a lead of 12s
	// 30/10/23 unit=1s epoch=2026-01-01T00:00:00Z: 8388608 UIDs/s; of 1024 worker IDs, disposable ones last 0.05 days; full in 2060; a lead of 6s
	// unusable configuration: no layout holds: at ticks of 1s it takes 30 bits of time, 9 of worker ID and 21 of sequence, 60 in all of 53; give up one of: numbers that are safe in JavaScript; a rate of at most 16300 UIDs a second per worker; at most 4 workers
}

// A fresh table under a new epoch repeats what the old one made; the old table's next IDs do
// not, but sort below.
func ExampleMove_Cost() {
	move := plan.Move{
		From: bits.MustParseLayout("uidgenerator").Issuer(),
		To:   bits.Default().Issuer(),
		At:   time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC),
	}
	c, err := move.Cost()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("repeats from", c.Repeats.FirstA.Format(time.DateOnly), "on; a floor of", c.Highest, "can be passed:",
		c.Passable)

	move.From.FirstWorker, move.From.LastWorker = 1, 1000
	move.To.FirstWorker, move.To.LastWorker = 1001, 2000
	if c, err = move.Cost(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("repeats:", c.Repeats, "all above the old ones:", c.Above)
	// Output:
	// repeats from 2017-04-09 on; a floor of 9223372036854775807 can be passed: false
	// repeats: <nil> all above the old ones: false
}
