package foreign_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/foreign"
	"github.com/uidgen/uid/internal/logtest"
)

// What Compose of github.com/sony/sonyflake (commit f167a9d, v1 and v2) makes of a time, a
// sequence and a machine ID, and its Decompose and ToTime of the ID.
func TestSonyflakeAsSonyReadsIt(t *testing.T) {
	for _, c := range []struct {
		format            string
		id                int64
		time              string
		machine, sequence int64
	}{
		{"sonyflake", 417256906266053127, "2022-07-19T12:34:56.78Z", 2567, 17},
		{"sonyflake", math.MaxInt64, "2188-11-16T03:28:58.87Z", 65535, 255},
		{"sonyflake2", 99934493955050238, "2026-11-21T10:00:00.12Z", 51966, 255},
		// The start is rounded down to a unit: its 700 ns do not count, nor its 70 ms below.
		{"sonyflake2 41/12/10 unit=1ms epoch=2020-05-18T00:00:00.0000007Z",
			861909339860796392, "2026-11-21T10:00:00.123Z", 1000, 4000},
		{"sonyflake2 unit=100ms epoch=2024-05-18T00:00:00.07Z",
			13298426727367656, "2026-11-21T10:00:00.1Z", 1000, 40},
		// README of npm's sonyflake: { timestamp: 1589832189861, machineId: 2, sequence: 0 }.
		{"sonyflake2 unit=1ms epoch=2020-05-18T00:00:00Z",
			1211144891006978, "2020-05-18T20:03:09.861Z", 2, 0},
	} {
		p := must(must(foreign.ParseFormat(c.format)).Parse(c.id))
		require.Equal(t, foreign.Parts{ID: c.id, Time: at(c.time), Machine: c.machine, Sequence: c.sequence}, p)
	}
	// sony/sonyflake issue 33, of 2022-07-19: "a timestamp which is similar to 24869724975".
	v1 := must(foreign.ParseFormat("sonyflake"))
	require.Equal(t, "2022-07-19", must(v1.Parse(24869724975<<24)).Time.Format(time.DateOnly))
	_, err := v1.Parse(-1)
	logtest.Error(t, err, uid.ErrRange, "-1 is below 0")
}

// The parts, put together as Sonyflake does it, are the number.
func TestSonyflakeTakesApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 30)
		sequence, machine := width.Draw(t, "sequence bits"), width.Draw(t, "machine bits")
		units := []time.Duration{time.Millisecond, 10 * time.Millisecond, time.Second}
		unit := rapid.SampledFrom(units).Draw(t, "unit")
		start := time.Unix(rapid.Int64Range(1, 1.7e9).Draw(t, "start"), rapid.Int64Range(0, 999999999).Draw(t, "ns"))
		s, err := foreign.ParseFormat(fmt.Sprintf("sonyflake2 %d/%d/%d unit=%v epoch=%s", 63-sequence-machine, sequence,
			machine, unit, start.UTC().Format(time.RFC3339Nano)))
		if sequence+machine > 31 {
			require.ErrorIs(t, err, uid.ErrConfig)
			return
		}
		require.NoError(t, err)
		id := rapid.Int64Range(0, math.MaxInt64).Draw(t, "id")
		p := must(s.Parse(id))
		at := bits.MustLayout(bits.Config{TimeBits: 1, Unit: unit,
			Epoch: time.Unix(0, 0)}).TickAt // ticks since 1970
		tick := at(p.Time) - at(start)
		require.Equal(t, id, tick<<(sequence+machine)|p.Sequence<<machine|p.Machine)
		require.Equal(t, id, p.ID)

		sum := 0
		for _, f := range s.Fields() {
			sum += f.Bits
		}
		require.Equal(t, 63, sum)
		require.Equal(t, s.Layout(), must(foreign.ParseFormat(s.String())).Layout())
	})
}
