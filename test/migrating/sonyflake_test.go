package migrating

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/sony/sonyflake"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/foreign"
	"github.com/uidgen/uid/plan"
	"github.com/uidgen/uid/worker/lease"
)

// sonyflakeV1 reads IDs of Sonyflake's version 1.
var sonyflakeV1 = must(foreign.ParseFormat("sonyflake"))

func sony(machine uint16) writer {
	s := must(sonyflake.New(sonyflake.Settings{MachineID: func() (uint16, error) { return machine, nil }}))
	return func() (any, error) { return s.NextID() }
}

// Another layout, all of whose numbers from now on are above the old ones: a rolling update with
// any worker IDs, and two cursors for readers while both write.
func TestRollingToAnotherLayout(t *testing.T) {
	o := newTable(t, "BIGINT UNSIGNED") // NextID of version 1 returns a uint64
	one, two := sony(1), sony(2)
	o.write(t, 100, map[string]writer{"old 1": one, "old 2": two})

	// 1. uid plan: no number is made twice, and no floor is needed.
	start := time.Now()
	from, to := sonyflakeV1.Layout().Issuer(), bits.Default().Issuer()
	cost := must(plan.Move{From: from, To: to, At: start, Lead: 24 * time.Hour}.Cost())
	require.Nil(t, cost.Repeats)
	require.True(t, cost.Above)
	require.True(t, cost.Safe[0].To.After(utc(2034, 1, 1, 0, 0, 0)), "as long as the new layout lasts")

	// 2. Readers have two cursors: one below the border, one from it on.
	border := must(bits.Default().First(start))
	require.Greater(t, border, cost.Highest)
	low, high, single := &cursor{}, &cursor{last: int64(border) - 1}, &cursor{}
	poll := func() {
		low.poll(t, o, pastOf(sonyflakeV1.Layout()))
		high.poll(t, o, uid.Max)
		single.poll(t, o, uid.Max)
	}
	poll()

	// 3. One process after the other.
	orders := found(t, o.DB, "orders", lease.Founding{Layout: bits.Default()})
	g := newCached(t, leased(orders, lease.Range{}), bits.Default(), 0)
	o.write(t, 200, map[string]writer{"old 2": two, "new": of(g)})
	poll()
	// Back, and forth again.
	require.NoError(t, g.Close())
	o.write(t, 100, map[string]writer{"old 1": one, "old 2": two})
	poll()
	require.Empty(t, high.got[200:])
	g = newCached(t, leased(orders, lease.Range{}), bits.Default(), 0)
	o.write(t, 200, map[string]writer{"new": of(g)})
	poll()
	low.poll(t, o, border)

	sawAll(t, o, low, high)
	require.Len(t, low.got, 200+200+200)
	require.Less(t, len(single.got), o.count(t), "one cursor passes over what old processes write after new rows")
	require.Greater(t, o.edge(t, "MIN(id)", "new"), o.edge(t, "MAX(id)", "old%"))

	// Values, and what a number says.
	var u uid.UID
	require.NoError(t, o.Get(&u, "SELECT MAX(id) FROM orders WHERE writer = 'old 2'"))
	parts := must(sonyflakeV1.Parse(int64(u)))
	require.EqualValues(t, 2, parts.Machine)
	require.WithinDuration(t, time.Now(), parts.Time, time.Hour)
	asNumber := must(json.Marshal(uint64(u))) // as Sonyflake's users write it
	var back uid.UID
	require.NoError(t, json.Unmarshal(asNumber, &back))
	require.Equal(t, u, back)
}
