package foreign_test

import (
	"fmt"
	"time"

	"github.com/uidgen/uid/foreign"
)

// A Sonyflake has its sequence above the machine ID.
func ExampleSonyflake() {
	p, err := foreign.SonyflakeV1().Parse(417256906266053127)
	fmt.Println(p.Time, p.Machine, p.Sequence, err)

	// As version 2 makes them with settings of its user's.
	own, err := foreign.NewSonyflake(foreign.SonyflakeConfig{
		BitsSequence: 12, BitsMachineID: 10, TimeUnit: time.Millisecond, StartTime: time.Date(2020, 5, 18, 0, 0, 0, 0, time.UTC),
	})
	fmt.Println(own, err)
	// Output:
	// 2022-07-19 12:34:56.78 +0000 UTC 2567 17 <nil>
	// sonyflake 41/12/10 unit=1ms epoch=2020-05-18T00:00:00Z <nil>
}

// A column that UidGenerator has written since its time field was full.
func ExampleUidGeneratorUID() {
	var id foreign.UidGeneratorUID
	err := id.Scan(int64(-7053003394352373760)) // or: rows.Scan(&id)
	p := id.Parts()
	fmt.Println(p.Time, p.Machine, p.Sequence, err)
	fmt.Println("younger than 9223372036854775807:", id.Compare(9223372036854775807) > 0)
	// Output:
	// 2026-11-21 15:31:37 +0000 UTC 5 0 <nil>
	// younger than 9223372036854775807: true
}

func ExampleGuesses() {
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	for _, g := range foreign.Guesses(1541815603606036480, now) {
		fmt.Println(g.Name, g.Parts.Time, g.Parts.Machine, g.Parts.Sequence, g.Confidence(), g.Signs)
	}
	// Output:
	// discord 2026-08-25 14:24:45.448 +0000 UTC 378 0 possible [small sequence]
	// twitter 2022-06-28 16:07:40.105 +0000 UTC 378 0 possible [small sequence]
	// uidgenerator 2017-10-21 00:38:59 +0000 UTC 3870909 0 possible [small sequence]
	// instagram 2017-06-21 04:19:24.445 +0000 UTC 1512 0 possible [small sequence]
}
