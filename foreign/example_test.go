package foreign_test

import (
	"fmt"

	"github.com/uidgen/uid/foreign"
)

// A Sonyflake has its sequence above the machine ID.
func ExampleParseFormat() {
	for _, text := range []string{
		"sonyflake",
		// As version 2 makes them with BitsSequence 12, BitsMachineID 10, TimeUnit and StartTime set.
		"sonyflake2 41/12/10 unit=1ms epoch=2020-05-18T00:00:00Z",
	} {
		f, err := foreign.ParseFormat(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		p, err := f.Parse(417256906266053127)
		fmt.Println(p.Time, p.Machine, p.Sequence, err)
	}
	// Output:
	// 2022-07-19 12:34:56.78 +0000 UTC 2567 17 <nil>
	// 2023-07-13 09:49:58.712 +0000 UTC 519 1090 <nil>
}

// A column that UidGenerator has written since its time field was full.
func ExampleParseFormat_uidGenerator() {
	f, err := foreign.ParseFormat("uidgenerator")
	if err != nil {
		fmt.Println(err)
		return
	}
	var id int64 = -7053003394352373760 // from rows.Scan(&id)
	p, err := f.Parse(id)
	fmt.Println(p.Time, p.Machine, p.Sequence, err)
	fmt.Println("younger than 9223372036854775807:", uint64(id) > 9223372036854775807)
	// Output:
	// 2026-11-21 15:31:37 +0000 UTC 5 0 <nil>
	// younger than 9223372036854775807: true
}
