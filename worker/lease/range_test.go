package lease_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker/lease"
)

// foundWith makes the namespace with a range of IDs, or changes it.
func (h *house) foundWith(first, last int64) error {
	h.made = true
	return lease.Found(h.t.Context(), h.memory.Store(orders),
		lease.Founding{Layout: milliseconds, IDs: lease.Range{First: first, Last: last}})
}

// A start that asks for certain IDs gets one of a namespace that has these and no others, or none at
// all.
func TestRangeOfAStart(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		asks := func(first, last int64) *lease.Lease {
			return h.lease(lease.Config{IDs: lease.Range{First: first, Last: last}})
		}
		refused := func(first, last int64, is error, text string) {
			t.Helper()
			logtest.Error(t, h.acquireError(asks(first, last), millis(1023)), is, text)
		}
		require.NoError(t, h.foundWith(0, 0))
		require.Zero(t, h.acquire(asks(0, 1023)).WorkerID, "a namespace that has all")
		refused(7, 9, uid.ErrRange, "the namespace has the worker IDs 0 to 1023, asked for are 7 to 9")
		refused(1000, 1024, uid.ErrRange, "the worker IDs 1000 to 1024 are not within 0..1023, those of the layout")

		h.editNamespace(func(n *storage.Namespace) { n.IDs = lease.Range{First: 8, Last: 11} })
		h.memory.RemoveRow(orders, 0)
		for _, ids := range [][2]int64{{9, 10}, {7, 9}, {11, 12}, {0, 1023}, {20, 21}} {
			refused(ids[0], ids[1], uid.ErrRange,
				fmt.Sprintf("the namespace has the worker IDs 8 to 11, asked for are %d to %d", ids[0], ids[1]))
		}
		h.editNamespace(func(n *storage.Namespace) { n.Given = 7 })
		for _, id := range []int64{8, 9, 10, 11} {
			require.Equal(t, id, h.acquire(asks(8, 11)).WorkerID)
		}
		refused(8, 11, uid.ErrNoWorkerID, "all of 8 to 11 are leased or in quarantine")
	})
}

// A start that makes a missing namespace gives it the IDs that it asks for.
func TestRangeOfANamespaceThatAStartMakes(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		cfg := lease.Config{IDs: lease.Range{First: 4, Last: 5}}
		require.EqualValues(t, 4, h.acquire(h.bare(cfg)).WorkerID)
		require.Equal(t, cfg.IDs, h.namespace().IDs)
		cfg.IDs.Last = 6
		require.ErrorIs(t, h.acquireError(h.bare(cfg), millis(1023)), uid.ErrRange)
	})
}

// A person may set the IDs of a namespace that has all, as long as nobody has had one.
func TestFoundSetsIDs(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		refused := func(first, last int64, text string) {
			t.Helper()
			before := h.namespace()
			logtest.Error(t, h.foundWith(first, last), uid.ErrRange, text)
			require.Equal(t, before, h.namespace())
		}
		require.NoError(t, h.foundWith(0, 0))
		require.NoError(t, h.foundWith(0, 511))
		require.Equal(t, lease.Range{First: 0, Last: 511}, h.namespace().IDs)
		refused(512, 1023, "the namespace has the worker IDs 0 to 511, now asked for 512 to 1023")
		require.NoError(t, h.foundWith(0, 0))
		require.Equal(t, lease.Range{First: 0, Last: 511}, h.namespace().IDs, "whoever names none leaves them")
		require.NoError(t, h.foundWith(0, 511))
	})
	eachHouse(t, func(t *testing.T, h *house) {
		require.NoError(t, h.foundWith(0, 0))
		h.acquire(h.lease(lease.Config{}))
		err := h.foundWith(0, 511)
		logtest.Error(t, err, uid.ErrRange, "the namespace has the worker IDs all, now asked for 0 to 511")
	})
}

func TestFoundRefusesRanges(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		for _, r := range []lease.Range{{First: -1}, {First: 5, Last: 4}, {Last: 1024}, {First: 2000, Last: 3000}} {
			logtest.Error(t, h.foundWith(r.First, r.Last), uid.ErrRange,
				fmt.Sprintf("IDs %d to %d are not within 0..1023", r.First, r.Last))
			require.False(t, h.isThere())
		}
	})
}

// The protocol refuses an ID that a store without ranges offers.
func TestRangeThatAStoreIgnores(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		require.NoError(t, h.foundWith(0, 0))
		store := &meddled{Store: h.memory.Store(orders)}
		outside := func(n *storage.Namespace, _ *storage.Lease) { n.IDs = lease.Range{First: 10, Last: 20} }
		store.offered = append(store.offered, outside, outside)
		err := h.acquireError(h.on(store, lease.Config{}), millis(1023))
		logtest.Error(t, err, uid.ErrRange, "the store offers worker ID 0, wanted is one of 10 to 20")
		require.Empty(t, h.ids())
		err = h.acquireError(h.on(store, lease.Config{IDs: lease.Range{First: 0, Last: 1023}}), millis(1023))
		logtest.Error(t, err, uid.ErrRange, "the namespace has the worker IDs 10 to 20, asked for are 0 to 1023")
	})
}

// How many IDs of the range are used, and not how high they are.
func TestRangeRunsOut(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		require.NoError(t, h.foundWith(1014, 1023))
		for id := range int64(10) {
			var logged logtest.Records
			require.Equal(t, 1014+id, h.acquire(h.lease(lease.Config{Logger: logged.Logger()})).WorkerID)
			require.Equal(t, id >= 8, logged.Count("running out") > 0, id)
		}
		var logged logtest.Records
		require.NoError(t, lease.Found(t.Context(), h.memory.Store("all"), lease.Founding{Layout: milliseconds}))
		h.acquire(h.on(h.memory.Store("all"), lease.Config{Logger: logged.Logger()}))
		require.Zero(t, logged.Count("running out"))
	})
}

// Rows that are left of a former namespace were given. A range of IDs below them has none that is new.
func TestFoundOverRows(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		h.memory.SetRow(orders, storage.Lease{WorkerID: 500, High: 7, Until: h.now().Add(time.Hour)})
		logtest.Error(t, h.foundWith(0, 499), uid.ErrRange,
			"the row of worker ID 500 is left of a former namespace, now asked for are IDs up to 499")
		require.False(t, h.isThere())
		logtest.Error(t, h.foundWith(0, 501), uid.ErrConfig, "rows of worker IDs up to 500 are there", "init --lost")
		require.False(t, h.isThere())
		lost := lease.Founding{Layout: milliseconds, IDs: lease.Range{First: 0, Last: 501}, Lost: true}
		require.NoError(t, lease.Found(t.Context(), h.memory.Store(orders), lost))
		h.made = true
		require.EqualValues(t, 500, h.namespace().Given)
		require.EqualValues(t, 501, h.acquire(h.lease(lease.Config{Losses: lease.Never})).WorkerID)
		err := h.acquireError(h.lease(lease.Config{Losses: lease.Never}), millis(1023))
		logtest.Error(t, err, uid.ErrNoWorkerID, "worker IDs 0 to 499 have no row")
	})
}
