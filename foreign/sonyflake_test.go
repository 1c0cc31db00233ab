package foreign_test

import (
	"cmp"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/foreign"
)

// settings are version 2's, as far as they show in an ID; zero stands for its default.
type settings struct {
	BitsSequence, BitsMachineID int
	TimeUnit                    time.Duration
	StartTime                   time.Time
}

func (s settings) String() string {
	sequence, machine := cmp.Or(s.BitsSequence, 8), cmp.Or(s.BitsMachineID, 16)
	text := fmt.Sprintf("sonyflake2 %d/%d/%d", 63-sequence-machine, sequence, machine)
	if s.TimeUnit != 0 {
		text += " unit=" + s.TimeUnit.String()
	}
	if !s.StartTime.IsZero() {
		text += " epoch=" + s.StartTime.UTC().Format(time.RFC3339Nano)
	}
	return text
}

func sonyflake(s settings) foreign.Sonyflake {
	return must(foreign.ParseFormat(s.String())).(foreign.Sonyflake)
}

// What Compose of github.com/sony/sonyflake (commit f167a9d, v1 and v2) makes of a time, a
// sequence and a machine ID, and its Decompose and ToTime of the ID.
func TestSonyflakeAsSonyReadsIt(t *testing.T) {
	for _, c := range []struct {
		format            foreign.Sonyflake
		name              string
		id                int64
		time              string
		machine, sequence int64
	}{
		{foreign.SonyflakeV1(), "sonyflake", 417256906266053127, "2022-07-19T12:34:56.78Z", 2567, 17},
		{foreign.SonyflakeV1(), "sonyflake", math.MaxInt64, "2188-11-16T03:28:58.87Z", 65535, 255},
		{foreign.SonyflakeV2(), "sonyflake2", 99934493955050238, "2026-11-21T10:00:00.12Z", 51966, 255},
		{foreign.Sonyflake{}, "sonyflake2", 99934493955050238, "2026-11-21T10:00:00.12Z", 51966, 255},
		{sonyflake(settings{}), "sonyflake2", 99934493955050238, "2026-11-21T10:00:00.12Z", 51966, 255},
		// The start is rounded down to a unit: its 700 ns do not count, nor its 70 ms below.
		{sonyflake(settings{BitsSequence: 12, BitsMachineID: 10, TimeUnit: time.Millisecond,
			StartTime: at("2020-05-18T00:00:00.0000007Z")}),
			"sonyflake", 861909339860796392, "2026-11-21T10:00:00.123Z", 1000, 4000},
		{sonyflake(settings{TimeUnit: 100 * time.Millisecond, StartTime: at("2024-05-18T00:00:00.07Z")}),
			"sonyflake", 13298426727367656, "2026-11-21T10:00:00.1Z", 1000, 40},
		// README of npm's sonyflake: { timestamp: 1589832189861, machineId: 2, sequence: 0 }.
		{sonyflake(settings{TimeUnit: time.Millisecond, StartTime: at("2020-05-18T00:00:00Z")}),
			"sonyflake", 1211144891006978, "2020-05-18T20:03:09.861Z", 2, 0},
	} {
		p := must(c.format.Parse(c.id))
		require.Equal(t, foreign.Parts{ID: c.id, Time: at(c.time), Machine: c.machine, Sequence: c.sequence}, p)
		require.Equal(t, c.name, c.format.Name())
	}
	// sony/sonyflake issue 33, of 2022-07-19: "a timestamp which is similar to 24869724975".
	p := must(foreign.SonyflakeV1().Parse(24869724975 << 24))
	require.Equal(t, "2022-07-19", p.Time.Format(time.DateOnly))
}

// The parts, put together as Sonyflake does it, are the number.
func TestSonyflakeTakesApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := settings{
			BitsSequence:  rapid.IntRange(1, 30).Draw(t, "sequence bits"),
			BitsMachineID: rapid.IntRange(1, 30).Draw(t, "machine bits"),
			TimeUnit: rapid.SampledFrom([]time.Duration{time.Millisecond, 10 * time.Millisecond,
				time.Second}).Draw(t, "unit"),
			StartTime: time.Unix(rapid.Int64Range(1, 1.7e9).Draw(t, "start"),
				rapid.Int64Range(0, 999999999).Draw(t, "ns")),
		}
		s, err := foreign.ParseFormat(cfg.String())
		if cfg.BitsSequence+cfg.BitsMachineID > 31 {
			require.ErrorIs(t, err, uid.ErrConfig)
			return
		}
		require.NoError(t, err)
		id := rapid.Int64Range(0, math.MaxInt64).Draw(t, "id")
		p := must(s.Parse(id))
		at := bits.MustLayout(bits.Config{TimeBits: 1, Unit: cfg.TimeUnit,
			Epoch: time.Unix(0, 0)}).TickAt // ticks since 1970
		tick := at(p.Time) - at(cfg.StartTime)
		require.Equal(t, id, tick<<(cfg.BitsSequence+cfg.BitsMachineID)|p.Sequence<<cfg.BitsMachineID|p.Machine)
		require.Equal(t, id, p.ID)

		sum := 0
		for _, f := range s.Fields() {
			sum += f.Bits
		}
		require.Equal(t, 63, sum)
		require.Equal(t, s.Layout(), must(foreign.ParseFormat(s.String())).Layout())
	})
}

func TestSonyflakeRefuses(t *testing.T) {
	for _, c := range []struct {
		cfg  settings
		want string
	}{
		{settings{BitsSequence: 31},
			"16/31/16 bits of time, sequence and machine: at least 32, 1 to 30 and 1 to 30, 63 in all"},
		{settings{BitsSequence: 2, BitsMachineID: 31}, "30/2/31 bits"},
		{settings{BitsSequence: 16}, "31/16/16 bits"},
		{settings{TimeUnit: time.Millisecond - 1}, "999.999µs"},
		{settings{TimeUnit: 500 * time.Microsecond}, "unit of 500µs is below 1ms"},
		{settings{TimeUnit: 7 * time.Millisecond}, "7ms"},
		{settings{StartTime: time.Unix(-1, 0)}, "1969-12-31T23:59:59Z is before 1970"},
		{settings{StartTime: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}, "is after the present"},
	} {
		s, err := foreign.ParseFormat(c.cfg.String())
		require.ErrorIs(t, err, uid.ErrConfig, c.want)
		require.ErrorContains(t, err, c.want)
		require.Zero(t, s)
	}
	_, err := foreign.SonyflakeV2().Parse(-1)
	require.ErrorIs(t, err, uid.ErrRange)
	require.ErrorContains(t, err, "-1 is below 0")
}
