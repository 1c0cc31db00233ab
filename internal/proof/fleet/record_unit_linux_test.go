package fleet

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

func testRecord(t *testing.T) (*record, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "record")
	r, err := newRecord(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.close()) })
	return r, path
}

func at(t *testing.T, tick, id, sequence int64) uid.UID {
	t.Helper()
	u, err := layout.Compose(tick, id, sequence)
	require.NoError(t, err)
	return u
}

// What the other tests rely on: whatever is given twice is found, and nothing else.
func TestRecord(t *testing.T) {
	r, path := testRecord(t)
	now := layout.TickAt(time.Now())
	for tick := now; tick < now+3; tick++ {
		for sequence := range int64(64) {
			r.note(1, at(t, tick, 5, sequence))
			r.note(2, at(t, tick, 6, sequence))
		}
	}
	require.Zero(t, r.doublesN.Load())
	require.EqualValues(t, 3*64, r.processes[1].issued.Load())
	require.Equal(t, now+2, r.newest(5))
	require.EqualValues(t, -1, r.newest(7))

	// It is another process's memory, too.
	other, err := openRecord(path)
	require.NoError(t, err)
	defer other.close()
	other.note(2, at(t, now+1, 6, 3))
	require.EqualValues(t, 1, r.doublesN.Load(), "a UID again, in one process")
	r.note(3, at(t, now+3, 6, 0))
	require.EqualValues(t, 1, r.doublesN.Load())
	other.note(4, at(t, now+3, 6, 1))
	require.EqualValues(t, 2, r.doublesN.Load(), "a tick of two processes, though the UIDs differ")
	require.Contains(t, r.logtest.Texts()[1], "process 3 and process 4")

	require.Zero(t, r.outside.Load())
	r.note(1, at(t, 0, 1, 0))
	r.note(1, at(t, now+recordTicks, 1, 0))
	r.note(1, -1)
	require.EqualValues(t, 3, r.outside.Load())
}

// Three processes at a time, each replaced once a second, and one lease lost: with leases
// that end after a second, and half of one for what comes late, those of two seconds
// overlap.
func TestMostAtOnce(t *testing.T) {
	began := time.Now()
	var all []*process
	for i := range 30 {
		from := began.Add(time.Duration(i/3) * time.Second)
		all = append(all, &process{began: from, gone: from.Add(time.Second)})
	}
	lease := timing{TTL: 800 * time.Millisecond, Quarantine: 190 * time.Millisecond}
	require.Equal(t, 9, mostAtOnce(all, nil, lease))
	require.Equal(t, 10, mostAtOnce(all, []time.Time{began.Add(5 * time.Second)}, lease))
	require.Equal(t, 30, mostAtOnce(all, nil, timing{TTL: time.Hour}))
}
