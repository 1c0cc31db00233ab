package storetest

import (
	"math"
	"strings"
	"time"
)

var (
	// early and late are the first and the last time that a store has to keep. The zero time may
	// become the first.
	zero  = time.Time{}
	early = time.Unix(0, 0).UTC()
	late  = time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)
	ascii = func() string {
		var b strings.Builder
		for c := ' '; c <= '~'; c++ {
			b.WriteRune(c)
		}
		return strings.Repeat(b.String(), 3)[:255]
	}()
)

// extremes are rows of one worker ID at the ends of what a row can hold.
func extremes(id int64, now time.Time) []row {
	rows := []row{
		{High: -1, Until: zero, Acquired: zero, Renewed: zero},
		{
			Nonce: "abcdefghijklmNOPQRSTUVWXYZ012345", High: math.MaxInt64, Until: late, Layout: ascii,
			Holder: strings.Repeat("\U0001F984", 128), Acquired: early, Renewed: late,
		},
		{
			Nonce: "ABCDEFGHIJKLMnopqrstuvwxyz012345", High: 0, Layout: "sign=1 time=28",
			Holder: "  'ä\"\\%_\n\t`–ß\u0301 ", Until: now.Add(time.Microsecond),
			Acquired: now.Add(-time.Microsecond), Renewed: early.Add(time.Microsecond),
		},
		{
			Nonce: "00000000000000000000000000", High: 1<<53 + 1, Until: early, Layout: "x",
			Holder: strings.Repeat("ÿ", 128), Acquired: now, Renewed: now,
		},
		{High: -1, Until: now, Acquired: zero, Renewed: early},
	}
	for i := range rows {
		rows[i].WorkerID = id
	}
	return rows
}
