package segment_test

import (
	"context"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	_ "time/tzdata"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/segment"
)

// TestDailyChanges goes over midnights, also where clocks are set at midnight, where an hour comes
// twice, and where a day is left out.
func TestDailyChanges(t *testing.T) {
	for _, c := range []struct {
		zone string
		from time.Time // UTC
		days []int     // by half hours from then on, for two days
	}{
		{"UTC", time.Date(2026, 12, 31, 12, 0, 0, 0, time.UTC), []int{20261231, 20270101, 20270102}},
		{"Asia/Shanghai", time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), []int{20261121, 20261122, 20261123}},
		// no midnight
		{"America/Sao_Paulo", time.Date(2018, 11, 3, 12, 0, 0, 0, time.UTC), []int{20181103, 20181104, 20181105}},
		// 23:00 to 24:00 twice
		{"America/Sao_Paulo", time.Date(2019, 2, 16, 12, 0, 0, 0, time.UTC), []int{20190216, 20190217, 20190218}},
		// back over midnight
		{"Africa/Cairo", time.Date(2023, 10, 26, 8, 0, 0, 0, time.UTC), []int{20231026, 20231027, 20231028}},
		// no 30 December
		{"Pacific/Apia", time.Date(2011, 12, 30, 0, 0, 0, 0, time.UTC), []int{20111229, 20111231, 20120101}},
		// 25 hours
		{"Europe/Berlin", time.Date(2026, 10, 24, 12, 0, 0, 0, time.UTC), []int{20261024, 20261025, 20261026}},
	} {
		h := newHouse()
		clock := fake.NewFrozenClock(c.from)
		zone := must(time.LoadLocation(c.zone))
		d := must(segment.NewDaily(h, "order", zone, segment.Config{Now: clock.Now}))
		seen := map[segment.OrderNumber]bool{}
		var days []int
		each := map[int]int64{}
		for range 96 {
			for range 3 {
				n := must(d.Next(t.Context()))
				require.False(t, seen[n], "%v comes again", n)
				seen[n] = true
				if len(days) == 0 || days[len(days)-1] != n.Day {
					days = append(days, n.Day)
				}
				each[n.Day]++
				require.GreaterOrEqual(t, n.N, each[n.Day])
			}
			clock.Step(30 * time.Minute)
		}
		require.Equal(t, c.days, days, c.zone)
		require.NoError(t, d.Close())
	}
}

// TestDailyClockBack has a clock go back and forth over midnight.
func TestDailyClockBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		midnight := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
		now := midnight
		d, err := segment.NewDaily(h, "order", nil,
			segment.Config{Now: func() time.Time { return now }})
		require.NoError(t, err)
		var got []string
		for _, at := range []int{-1, 0, -1, -1, 1, 2} {
			now = midnight.Add(time.Duration(at) * time.Second)
			n := must(d.Next(t.Context()))
			got = append(got, n.String())
			synctest.Wait()
			if at == 0 {
				require.EqualValues(t, 2, h.Row("order/20261121").Next, "what was left of the day")
			}
		}
		require.Equal(t, []string{
			"20261121-000001", "20261122-000001", "20261121-000002", "20261121-000003", "20261122-000002",
			"20261122-000003",
		}, got, "and none is skipped, for what is left of a day is given back")
		require.NoError(t, d.Close())
		require.ErrorIs(t, errOf(d.Next(t.Context())), uid.ErrClosed)
		require.EqualValues(t, 4, h.Row("order/20261122").Next)
	})
}

// TestDailyTurn has the day change while a call waits for its number.
func TestDailyTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		h.takes = time.Second
		midnight := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
		began := time.Now()
		d, err := segment.NewDaily(h, "order", nil,
			segment.Config{Now: func() time.Time { return midnight.Add(time.Since(began) - time.Second/2) }})
		require.NoError(t, err)
		var calls sync.WaitGroup
		for _, want := range []int{20261121, 20261122} {
			calls.Go(func() {
				n := must(d.Next(t.Context()))
				require.Equal(t, want, n.Day)
			})
			time.Sleep(3 * time.Second / 4)
		}
		calls.Wait()
		require.NoError(t, d.Close())
	})
}

// TestDailyClose closes while the day before is being given back.
func TestDailyClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		h.takes = time.Second
		now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
		d := must(segment.NewDaily(h, "order", nil, segment.Config{Now: func() time.Time { return now }}))
		require.NoError(t, errOf(d.Next(t.Context())))
		now = now.AddDate(0, 0, 1)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, errOf(d.Next(gone)), context.Canceled)
		synctest.Wait()
		require.NoError(t, d.CloseContext(gone))
		require.EqualValues(t, 1001, h.Row("order/20261121").Next, "nobody waited")
		require.NoError(t, d.Close())
		require.EqualValues(t, 2, h.Row("order/20261121").Next)
	})
}

func TestDailyRefusals(t *testing.T) {
	h := newHouse()
	for _, name := range []string{"", " a", "ä", strings.Repeat("a", 120)} {
		require.Error(t, errOf(segment.NewDaily(h, name, nil, segment.Config{})))
	}
	require.ErrorIs(t, errOf(segment.NewDaily(h, "a", nil, segment.Config{MaxStep: -1})), uid.ErrConfig)
	require.ErrorIs(t, errOf(segment.NewDaily(nil, "a", nil, segment.Config{})), uid.ErrConfig)
	d, err := segment.NewDaily(h, strings.Repeat("a", 119), nil,
		segment.Config{Now: func() time.Time { return time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }})
	require.NoError(t, err)
	logtest.Error(t, errOf(d.Next(t.Context())), uid.ErrRange, "10000")
}

// noNumbers are texts of none.
var noNumbers = []string{"", "-", "20261122", "20261122-", "-1", "20260230-000001", "00000000-1", "2026112-1",
	"120261122-1", "20261122-+1", "+0261122-1", "20261122--1", "20261122-9223372036854775808", " 20261122-1",
	"20261122-1 ", "20261122-1-1", "2026112-21"}

func TestParseNumber(t *testing.T) {
	for text, want := range map[string]segment.OrderNumber{
		"20261122-000042":              {Day: 20261122, N: 42},
		"00010101-1":                   {Day: 10101, N: 1},
		"20240229-9223372036854775807": {Day: 20240229, N: math.MaxInt64},
	} {
		require.Equal(t, want, must(segment.ParseOrderNumber(text)))
	}
	for _, text := range noNumbers {
		require.ErrorIs(t, errOf(segment.ParseOrderNumber(text)), uid.ErrSyntax, text)
	}
}

func FuzzParseNumber(f *testing.F) {
	for _, text := range append(noNumbers, "20261122-000042", "20261122-1") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := segment.ParseOrderNumber(text)
		if err != nil {
			require.ErrorIs(t, err, uid.ErrSyntax)
			require.Zero(t, n)
			return
		}
		require.Equal(t, n, must(segment.ParseOrderNumber(n.String())))
		require.Equal(t, text, n.Text(len(text)-len("20261122-")))
	})
}
