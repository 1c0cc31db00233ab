package foreign_test

import (
	"fmt"
	"time"

	"github.com/uidgen/uid/foreign"
)

// A Sonyflake has its sequence above the machine ID.
func ExampleNewSonyflake() {
	v1, err := foreign.ParseFormat("sonyflake")
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := v1.Parse(417256906266053127)
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
