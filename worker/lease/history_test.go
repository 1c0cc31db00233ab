package lease_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker/lease"
)

// burns are the ways in which a new owner finds out that writes may be lost.
var burns = map[string]struct {
	store storetest.MemoryConfig
	cfg   lease.Config
	lose  bool // a crash, in which nothing is lost
}{
	"another history":          {lose: true},
	"a store that cannot tell": {store: storetest.MemoryConfig{NoHistory: true}},
	"a store that has to say": {store: storetest.MemoryConfig{Durable: true},
		cfg: lease.Config{Losses: lease.Anytime}},
	"a store that tells a lie": {store: storetest.MemoryConfig{SameHistory: true},
		cfg: lease.Config{Losses: lease.Anytime}},
	"a store that seems to lie": {cfg: lease.Config{Losses: lease.Anytime}},
}

// Where writes may be lost a new owner begins above all that anybody can have reserved, and waits until it can
// reserve its first ticks. It has no slack then: its own write may be lost as well.
func TestBurn(t *testing.T) {
	for name, c := range burns {
		t.Run(name, func(t *testing.T) {
			eachStore(t, c.store, func(t *testing.T, h *house) {
				h.found()
				if c.lose {
					h.memory.LoseHistory()
				}
				at, began := h.tick(), time.Now()
				l, r := h.held(c.cfg)
				require.Equal(t, at+ms(lease.Burn)+1, r.First)
				require.Equal(t, skew+time.Millisecond, time.Since(began), "nothing can be reserved before")
				require.Equal(t, r.First, r.Last)
				row := h.row(r.WorkerID)
				require.Equal(t, skew+time.Millisecond, row.Renewed.Sub(row.Acquired))

				// As the clock goes on there is more.
				h.pass(time.Second)
				require.Equal(t, h.tick()+ms(lease.Burn-skew), h.extend(l, r.Last+ms(window)).Last)
			})
		})
	}
}

// Only the first owner after a change of the history burns: the namespace keeps the history and the floor, and all
// later owners begin above it.
func TestBurnIsPaidOnce(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		old, was := h.held(lease.Config{})
		history := h.namespace().History
		h.memory.LoseHistory()

		at := h.tick()
		require.Equal(t, at+ms(lease.Burn)+1, h.acquire(h.lease(lease.Config{})).First)
		ns := h.namespace()
		require.NotEqual(t, history, ns.History)
		require.Equal(t, at+ms(lease.Burn), ns.Floor)
		h.pass(window / 2)
		require.Equal(t, at+ms(lease.Burn)+1, h.acquire(h.lease(lease.Config{})).First)
		require.Equal(t, ns.Floor, h.namespace().Floor)

		// Who was there before goes on as it is.
		r := h.extend(old, 0)
		require.Equal(t, was.First, r.First)
		require.Equal(t, h.tick()+ms(reach), r.Last)

		// An ID comes back when the clock has passed the floor: it begins there at once.
		h.pass(lease.Burn)
		began := time.Now()
		require.Less(t, h.acquire(h.lease(lease.Config{})).First, h.tick())
		require.Zero(t, time.Since(began))
	})
}

// A renewal, and a release, that find another history write it, with the floor: the rows may become those of a
// server from before the change, as if it had never been.
func TestOwnersWriteTheHistory(t *testing.T) {
	type writes = func(h *house, l *lease.Lease)
	each(t, map[string]writes{
		"renewal": func(h *house, l *lease.Lease) { h.extend(l, 0) },
		"release": func(h *house, l *lease.Lease) { require.NoError(h.t, l.Release(h.t.Context(), -1)) },
	}, func(t *testing.T, h *house, write writes) {
		l, _ := h.held(lease.Config{})
		before := h.namespace()
		h.memory.LoseHistory()
		h.pass(window / 2)
		write(h, l)
		require.Equal(t, h.tick()+ms(lease.Burn), h.namespace().Floor)
		require.NotEqual(t, before.History, h.namespace().History)
	})
}

// What a failover has lost comes again under no ID: neither what an owner had reserved for a burst, at the
// very end of what it may, nor a lease of which nothing is left.
func TestLostWritesComeNotAgain(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l, _ := h.held(lease.Config{})
		restore := h.memory.Backup()
		h.pass(time.Second)
		burst := h.extend(l, h.tick()+ms(lease.Burn))
		other := h.acquire(h.lease(lease.Config{}))
		restore()
		h.shiftStore(-skew) // the other server's clock
		next := h.acquire(h.lease(lease.Config{}))
		require.Equal(t, other.WorkerID, next.WorkerID)
		require.Greater(t, next.First, burst.Last)
		require.Greater(t, next.First, other.Last)
	})
}

// A renewal does not move the end of the lease back, where the store's clock goes back: the next owner would take the
// ID by the earlier end, and a failover that loses both would give it back to this one.
func TestTheEndOfALeaseDoesNotMoveBack(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l, _ := h.held(lease.Config{})
		until := h.row(0).Until
		h.pass(window / 2)
		h.shiftStore(-window)
		l.SetNow(h.storeNow)
		h.extend(l, 0)
		require.Equal(t, until, h.row(0).Until)
		h.pass(window)
		h.extend(l, 0)
		require.Equal(t, until.Add(window/2), h.row(0).Until)
	})
}

// A start that begins ahead of the clock says so, with its cause and end, and its health has both until then.
func TestStartAheadSaysSo(t *testing.T) {
	gone := func(h *house) { h.memory.RemoveNamespace(orders) }
	type start struct {
		losses lease.Losses
		before func(h *house)
		cause  string // "" for a start that begins at the clock
	}
	each(t, map[string]start{
		"on time": {},
		"another history": {before: func(h *house) { h.memory.LoseHistory() },
			cause: `it is "writes were lost 1 times" now, and was "writes were lost 0 times" before`},
		"after such a start": {before: func(h *house) {
			h.pass(time.Second)
			h.memory.LoseHistory()
			h.held(lease.Config{})
		}, cause: "an earlier start found"},
		"Anytime":         {losses: lease.Anytime, cause: "Losses is Anytime"},
		"nothing is lost": {losses: lease.Never, before: func(h *house) { h.memory.LoseHistory() }},
		"no namespace":    {before: gone, cause: "the namespace was missing"},
		"after the start that made one": {before: func(h *house) {
			gone(h)
			h.held(lease.Config{})
		}, cause: "the namespace was missing"},
		"no namespace, nothing is lost": {losses: lease.Never, before: gone, cause: "the namespace was missing"},
	}, func(t *testing.T, h *house, c start) {
		h.found()
		if c.before != nil {
			c.before(h)
		}
		var logged logtest.Records
		l := h.lease(lease.Config{Losses: c.losses, Logger: logged.Logger()})
		r := h.acquire(l)
		ahead := l.WorkerHealth().Ahead
		if c.cause == "" {
			require.Nil(t, ahead)
			require.Zero(t, logged.Count("ahead of the clock"))
			return
		}
		require.Equal(t, 1, logged.Count("UIDs begin ahead of the clock"))
		require.Equal(t, 1, logged.Count("cause="+strconv.Quote(ahead.Cause)+" ahead=2m"), logged.String())
		require.Contains(t, ahead.Cause, c.cause)
		avoid := "a state file (statefile.OnLease), or Losses: Never"
		if strings.Contains(c.cause, "missing") {
			avoid = "uid worker init, or lease.Found, before the first start"
		}
		require.Equal(t, 1, logged.Count("avoided_by=\""+avoid), logged.String())
		require.Equal(t, r.First, millis(0).TickAt(ahead.Until.Add(time.Millisecond/2)))
	})
}
