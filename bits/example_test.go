package bits_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
)

func Example() {
	layout := bits.Default()
	u, err := layout.Compose(5249273, 4, 9)
	fmt.Println(u, err)

	parts, err := layout.Parse(u)
	fmt.Println(parts, err)
	fmt.Println("full on", layout.Expires())
	// Output:
	// 180363646902239241 <nil>
	// 180363646902239241: 2026-03-02T18:07:53Z, worker 4, sequence 9 <nil>
	// full on 2034-07-04 21:24:15 +0000 UTC
}

// Nothing is ever cut off: what does not fit is an error.
func ExampleLayout_Compose() {
	_, err := bits.Default().Compose(5249273, 4194304, 0)
	fmt.Println(errors.Is(err, uid.ErrRange))
	fmt.Println(err)
	// Output:
	// true
	// value out of range: worker ID 4194304 is not within 0 and 4194303, the most that 28/22/13 bits hold
}

// A layout of your own, with the worker ID split in two.
func ExampleNewLayout() {
	layout, err := bits.NewLayout(bits.Config{
		TimeBits: 41, WorkerBits: 10, SequenceBits: 12,
		Unit:   time.Millisecond,
		Epoch:  time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC),
		Fields: []uid.Field{{Name: "datacenter", Bits: 5}, {Name: "worker", Bits: 5}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	id, _ := layout.WorkerID(map[string]int64{"datacenter": 11, "worker": 26})
	u, _ := layout.Compose(1234567, id, 0)
	fmt.Println(layout)
	fmt.Println(layout.Parse(u))
	// Output:
	// 41/10/12 unit=1ms epoch=2026-06-01T00:00:00Z fields=datacenter:5,worker:5
	// 5178150854656: 2026-06-01T00:20:34.567Z, worker 378 (datacenter 11, worker 26), sequence 0 <nil>
}

func ExampleParseLayout() {
	for _, text := range []string{"twitter", "41ms/10/12", "28/22/14"} {
		fmt.Println(bits.ParseLayout(text))
	}
	// Output:
	// 41/10/12 unit=1ms epoch=2010-11-04T01:42:54.657Z <nil>
	// 41/10/12 unit=1ms epoch=2026-01-01T00:00:00Z <nil>
	// 0/0/0 unusable configuration: 28/22/14 bits of time, worker and sequence add up to more than 63
}

// The rows of a day, found by the primary key alone.
func ExampleLayout_Range() {
	from := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	lo, hi, err := bits.Default().Range(from, from.AddDate(0, 0, 1))
	if err != nil {
		fmt.Println(err)
		return
	}
	// rows, err := db.Query("SELECT * FROM orders WHERE id BETWEEN ? AND ?", lo, hi)
	fmt.Printf("SELECT * FROM orders WHERE id BETWEEN %d AND %d\n", lo, hi)
	// Output:
	// SELECT * FROM orders WHERE id BETWEEN 178120883699712000 AND 181089565094707199
}

// Under the wrong layout a UID has an unlikely time.
func ExampleLayout_Doubt() {
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	fmt.Println(bits.Default().Doubt(1541815603606036480, now))
	// Output:
	// its time, 2027-06-04T08:38:59Z, is 195 days in the future: it may be of another layout
}

// A fresh table under the new epoch begins with worker 1 again, as the old one did.
func ExampleFindOverlap() {
	moved := time.Date(2026, 11, 21, 16, 14, 46, 0, time.UTC)
	before := bits.Issuer{Layout: bits.MustParseLayout("uidgenerator"), FirstWorker: 1, LastWorker: 1000, To: moved}
	after := bits.Issuer{Layout: bits.Default(), FirstWorker: 1, LastWorker: 50, From: moved}
	o, found, err := bits.FindOverlap(before, after)
	fmt.Println(found, err)
	fmt.Println("first made twice:", o.First, "at", o.FirstA, "and", o.FirstB)
	fmt.Println("last made twice: ", o.Last, "at", o.LastA, "and", o.LastB)

	after.FirstWorker, after.LastWorker = 1001, 1050
	_, found, err = bits.FindOverlap(before, after)
	fmt.Println(found, err)
	// Output:
	// true <nil>
	// first made twice: 963862335636643840 at 2017-04-09 08:14:46 +0000 UTC and 2026-11-21 16:14:46 +0000 UTC
	// last made twice:  9223372002495455231 at 2024-11-20 13:24:15 +0000 UTC and 2034-07-04 21:24:15 +0000 UTC
	// false <nil>
}
