package plan_test

import (
	"fmt"
	"os"
	"text/tabwriter"
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
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "layout\tUIDs/s\tworker IDs\tdisposable last\tfull\tlead\tgiven back in")
	for _, o := range options[:3] {
		l := o.Layout
		fmt.Fprintf(w, "%d/%d/%d of %v\t%.0f\t%d\t%.2f days\t%s\t%v\t%v\n",
			l.TimeBits(), l.WorkerBits(), l.SequenceBits(), l.Unit(),
			o.Sustained, o.WorkerIDs, o.DisposableDays, o.Full.Format(time.DateOnly), o.Lead,
			o.GiveBack.Round(time.Second))
	}
	w.Flush()

	_, err = plan.Layouts(plan.Need{Rate: 2e6, Workers: 500, Years: 30, JSSafe: true,
		From: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)})
	fmt.Println(err)
	// Output:
	// layout           UIDs/s   worker IDs  disposable last  full        lead     given back in
	// 41/10/12 of 1ms  4096000  1024        0.05 days        2080-07-10  12.208s  24s
	// 30/11/22 of 1s   4194304  2048        0.15 days        2060-01-10  12s      23s
	// 30/10/23 of 1s   8388608  1024        0.05 days        2060-01-10  6s       8s
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
