package cached

import (
	"crypto/rand"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/worker"
)

// setForward returns a time whose wall clock was set forward while its monotonic reading
// went on as before: what time.Now returns after a machine was suspended.
func setForward(t time.Time, seconds int64) time.Time {
	const hasMonotonic, nanosecondBits = 1 << 63, 30
	// The first word of a time.Time with a monotonic reading: a flag, 33 bits of wall
	// seconds, 30 of nanoseconds.
	wall := (*uint64)(unsafe.Pointer(&t))
	if *wall&hasMonotonic == 0 {
		panic("no monotonic reading")
	}
	*wall += uint64(seconds) << nanosecondBits
	return t
}

// TestSuspended sets the wall clock forward by more than MaxLead, and not the monotonic
// one: the next UIDs are of the new time all the same.
func TestSuspended(t *testing.T) {
	const ahead = 8 * 60 * 60
	var step atomic.Int64
	now := func() time.Time { return setForward(time.Now(), step.Load()) }
	require.Equal(t, ahead*time.Second, time.Until(setForward(time.Now(), ahead).Round(0)).Round(time.Minute))

	g, err := New(worker.Static(1, rand.Text()), Config{Now: now, MaxLead: 10 * time.Minute, OnRejectedTake: uid.Fail})
	require.NoError(t, err)
	defer g.Close()
	// Many looks at the clock, so that none of those to come is the quickest.
	_, err = g.Fill(make([]uid.UID, 2_000_000))
	require.NoError(t, err)

	step.Store(ahead)
	_, err = g.Fill(make([]uid.UID, 200_000)) // more than what is buffered
	require.NoError(t, err)
	u, err := g.GetUID()
	require.NoError(t, err)
	parts, err := g.ParseUID(u)
	require.NoError(t, err)
	require.WithinRange(t, parts.Time, now().Round(0).Add(-time.Minute), now().Round(0).Add(defaultMaxLead))
}
