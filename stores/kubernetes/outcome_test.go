package kubernetes

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/internal/orders"
	"github.com/uidgen/uid/stores/kubernetes/internal/fake"
	"github.com/uidgen/uid/worker"
)

// founded makes the namespace anew after somebody has deleted it.
func (c *cluster) founded() {
	c.Delete("shop", "uid-orders")
	c.made()
}

// What becomes of a renewal when the namespace is written between its requests. Everybody sees the same afterwards.
func TestOutcome(t *testing.T) {
	t.Parallel()
	for name, is := range map[string]struct {
		before string // the request before which it happens
		do     func(c *cluster)
		high   int64  // whether it counts
		runs   int    // of decide
		says   string // the error
	}{
		"nothing":              {"none", func(*cluster) {}, 1, 1, ""},
		"raised before":        {"PUT", func(c *cluster) { c.raise(c.made())() }, 1, 2, ""},
		"raised after":         {"GET", func(c *cluster) { c.raise(c.made())() }, 1, 1, ""},
		"deleted before":       {"PUT", func(c *cluster) { c.Delete("shop", "uid-orders") }, 1, 1, "outcome is open"},
		"deleted after":        {"GET", func(c *cluster) { c.Delete("shop", "uid-orders") }, 1, 1, "outcome is open"},
		"made anew before":     {"PUT", (*cluster).founded, 0, 1, "the outcome is open"},
		"made anew after":      {"GET", (*cluster).founded, 1, 1, "the outcome is open"},
		"log forgotten before": {"PUT", (*cluster).crowd, 0, 1, "the outcome is open"},
		"log forgotten after":  {"GET", (*cluster).crowd, 1, 1, "the outcome is open"},
		"row deleted before":   {"PUT", func(c *cluster) { c.Delete("shop", "uid-orders.0") }, 0, 2, "has no row"},
		"row deleted after":    {"GET", func(c *cluster) { c.Delete("shop", "uid-orders.0") }, 0, 1, ""},
	} {
		inCluster(t, func(t *testing.T, c *cluster) {
			l := c.made()
			id := c.take(l)
			require.Zero(t, id)
			runs := 0
			c.once(is.before, func() { is.do(c) })
			err := l.Change(t.Context(), id, func(_ *storage.Namespace, r *storage.Lease, _ storage.Clock) error {
				if runs++; r != nil {
					r.High++
				}
				return nil
			})
			require.Equal(t, is.runs, runs, name)
			if is.says == "" {
				require.NoError(t, err, name)
			} else {
				orders.Fails(t, err, strings.Contains(is.says, "open"), is.says)
			}
			if strings.HasPrefix(name, "row") {
				require.NotContains(t, c.Leases("shop"), "uid-orders.0", "nothing makes it anew")
				return
			}
			if strings.Contains(name, "deleted") {
				require.ErrorIs(t, renew(l, id, 1), worker.ErrNoNamespace)
				c.made()
			}
			require.Equal(t, is.high, c.row(id).High, name)
			require.NoError(t, renew(l, id, 1))
			require.Equal(t, is.high+1, c.row(id).High)
		})
	}
}

// A renewal begins with what the one before has read. If that is old the namespace is not written on it, nor the row.
func TestOldDecision(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		l := c.made()
		id := c.take(l)
		require.NoError(t, renew(l, id, 1))
		require.NoError(t, renew(orders.Leases(t, c.store()), id, 10))
		var highs []int64
		asked := c.asked(func() {
			require.NoError(t, l.Change(t.Context(), id,
				func(n *storage.Namespace, r *storage.Lease, _ storage.Clock) error {
					highs = append(highs, r.High)
					n.Floor = r.High
					r.High++
					return nil
				}))
		})
		require.Equal(t, []int64{1, 11}, highs)
		own := slices.DeleteFunc(asked, func(request string) bool { return request != "PUT uid-orders" })
		require.Len(t, own, 1)
		require.EqualValues(t, 12, c.row(id).High)
	})
}

// crowd writes the namespace more often than it remembers.
func (c *cluster) crowd() {
	l := c.made()
	for range 2 * mostLog {
		c.raise(l)()
	}
}

// late sends a renewal that arrives with Deliver.
func (c *cluster) late(t *testing.T, id int64) {
	c.next("PUT", 1, fake.Fault{Late: true})
	orders.Fails(t, renew(c.made(), id, 1000), true)
}

// A row that was decided on an older namespace does not count, for nobody. The one before does, and its owner goes on.
func TestVoid(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		l := c.made()
		id := c.take(l)
		require.NoError(t, renew(l, id, 7))
		text := func() string { return c.Leases("shop")["uid-orders.0"].Meta.Annotations[annotationText] }
		was := text()
		for range 3 { // one upon another
			c.late(t, id)
			c.raise(l)()
			c.Deliver()
			require.NotEqual(t, was, text(), "it is stored")
			require.EqualValues(t, 7, c.row(id).High)
			alone, err := c.store().Driver().Read(t.Context(),
				stores.Query{Keys: []string{stores.Key{Namespace: "orders"}.String()}})
			require.NoError(t, err)
			require.Contains(t, alone.Records[0].Text, `"high":7`, "also where nobody asks for the namespace")
			c.raise(l)()
			require.EqualValues(t, 7, c.row(id).High, "for ever")
		}
		require.NoError(t, renew(l, id, 1))
		require.EqualValues(t, 8, c.row(id).High)

		c.late(t, id)
		c.raise(l)()
		c.Deliver()
		require.EqualValues(t, 1, c.take(l), "it is leased")
		require.NoError(t, l.Take(t.Context(), orders.Wanted(0, 1000),
			func(_ *storage.Namespace, r *storage.Lease, _ storage.Clock) error {
				require.EqualValues(t, 2, r.WorkerID)
				return nil
			}))
	})
}

// The object of a new ID may be there, with a text that does not count: no list shows it, and it is written over.
func TestVoidNewRow(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		l := c.made()
		c.once("POST", c.raise(c.made())) // before any row is made: all have been decided too early
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.NoError(t, l.Take(ctx, orders.Wanted(0, 1000),
			func(_ *storage.Namespace, r *storage.Lease, now storage.Clock) error {
				r.Nonce, r.Until = "taken", now.Now.Add(time.Hour)
				return nil
			}))
		require.Equal(t, 15, c.Count()["POST 409"])
		require.Len(t, c.Leases("shop"), 1+16)
		took := map[int64]bool{0: true}
		for range 15 {
			took[c.take(l)] = true
		}
		require.Len(t, took, 16)
		require.Len(t, c.Leases("shop"), 1+16)
	})
}

// A row that somebody else has made meanwhile is not written over, nor anything once the namespace was written.
func TestMadeMeanwhile(t *testing.T) {
	t.Parallel()
	for _, raised := range []string{"", "before", "after"} {
		inCluster(t, func(t *testing.T, c *cluster) {
			l, d := c.made(), c.store().Driver().(*driver)
			space, _, err := d.get(t.Context(), stores.Key{Namespace: "orders", ID: -1}.String())
			require.NoError(t, err)
			theirs, err := storage.LeaseText(storage.NewLease(0), "theirs")
			require.NoError(t, err)
			row := stores.Record{Key: stores.Key{Namespace: "orders"}.String(), Text: theirs}
			on := space.revision
			if raised == "before" {
				c.raise(l)()
				on = 1 // lost
			}
			_, err = d.put(t.Context(), next(row, state{On: on}))
			require.NoError(t, err)
			if raised == "after" { // their row counts, by an older namespace
				c.raise(l)()
				space, _, err = d.get(t.Context(), space.key)
				require.NoError(t, err)
			}
			was := c.Leases("shop")["uid-orders.0"]
			row.Text = "ours"
			made, err := d.make(t.Context(), space, []stores.Record{row})
			require.NoError(t, err)
			require.False(t, made)
			require.Equal(t, was, c.Leases("shop")["uid-orders.0"])
		})
	}
}

// A client that dies after it has made rows, or some, leaves nothing in the way of another one.
func TestMakerDied(t *testing.T) {
	t.Parallel()
	for _, raised := range []bool{false, true} {
		for _, rows := range []int{0, 1, 7, 16} {
			inCluster(t, func(t *testing.T, c *cluster) {
				l, other := c.made(), c.made()
				if raised {
					c.once("POST", c.raise(other)) // none of the rows counts
				}
				raising := raised
				c.Break(func(r *http.Request) fake.Fault {
					if kind(r) == "PUT" && raising {
						raising = false
						return fake.Fault{}
					}
					n := len(c.Leases("shop")) - 1
					return fake.Fault{Lost: kind(r) == "POST" && n >= rows || kind(r) == "PUT" && n == 16}
				})
				orders.Fails(t, l.Take(t.Context(), orders.Wanted(0, 1000), orders.Keep), true)
				c.Break(func(*http.Request) fake.Fault { return fake.Fault{} })
				took := map[int64]bool{}
				for range 16 {
					took[c.take(l)] = true
				}
				require.Len(t, took, 16)
				require.Len(t, c.Leases("shop"), 1+16)
			})
		}
	}
}

// A namespace remembers 33 writes of itself at most. Before it forgets, what counts is written anew where that is not
// what is stored, and what arrives later was decided too early.
func TestTrim(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		l := c.made()
		highs := map[int64]int64{}
		for range 10 {
			id := c.take(l)
			require.NoError(t, renew(l, id, id+100))
			highs[id] = c.row(id).High
		}
		same := func(when string) {
			t.Helper()
			for id, high := range highs {
				require.Equal(t, high, c.row(id).High, "%s, ID %d", when, id)
			}
		}
		longest := 0
		write := func() {
			c.raise(l)()
			var s state
			own := c.Leases("shop")["uid-orders"].Meta.Annotations[annotationState]
			require.NoError(t, json.Unmarshal([]byte(own), &s))
			longest = max(longest, len(s.Log))
		}
		c.late(t, 3)
		write()
		c.Deliver() // does not count, and is written over
		c.late(t, 4)
		for range 4 * mostLog {
			write()
			same("trimmed")
		}
		require.Equal(t, mostLog, longest)
		c.Deliver()
		same("late")
		meanwhile := false
		c.once("LIST?labelSelector=app.kubernetes.io%2Fmanaged-by%3Duid%2Cuidgen%2Fnamespace%3Dorders&", func() {
			meanwhile = true // somebody else writes before all rows are read
			other := c.made()
			c.raise(other)()
			require.NoError(t, renew(other, 5, 1))
			highs[5]++
		})
		for range 2 * mostLog {
			require.NoError(t, l.Change(t.Context(), 15,
				func(n *storage.Namespace, _ *storage.Lease, _ storage.Clock) error { n.Floor++; return nil }))
		}
		require.True(t, meanwhile)
		same("raced")
		another := orders.Leases(t, c.store())
		for id := range highs {
			require.NoError(t, renew(another, id, 1))
			highs[id]++
		}
		same("renewed")
		require.EqualValues(t, len(highs), c.take(l))
	})
}

// What a newer version has written, or nobody knows what, is not written over when the log is shortened or rows are
// made.
func TestForeignRow(t *testing.T) {
	t.Parallel()
	foreign := func(o *fake.Lease) { o.Meta.Annotations[annotationState] = `{"v":2,"new":"field"}` }
	inCluster(t, func(t *testing.T, c *cluster) {
		l := c.made()
		c.take(l)
		c.Edit("shop", "uid-orders.5", foreign)
		was := c.Leases("shop")["uid-orders.5"]
		err := error(nil)
		for range 2 * mostLog {
			if err == nil {
				err = l.Init(t.Context(), func(n *storage.Namespace, _ storage.Clock) error { n.Floor++; return nil })
			}
		}
		require.ErrorIs(t, err, uid.ErrRange)
		orders.Fails(t, err, false, "the annotations of the Lease uid-orders.5 cannot be read", "a newer version")
		require.Equal(t, was, c.Leases("shop")["uid-orders.5"])
	})
	for says, change := range map[string]func(*fake.Lease){
		"a newer version":      foreign,
		"not that of its name": func(o *fake.Lease) { delete(o.Meta.Annotations, annotationKey) },
	} {
		inCluster(t, func(t *testing.T, c *cluster) {
			l := c.made()
			c.once("POST", func() {
				another := c.store().Driver().(*driver)
				r := stores.Record{Key: stores.Key{Namespace: "orders"}.String(), Text: "text"}
				_, err := another.put(t.Context(), next(r, state{}))
				require.NoError(t, err)
				c.Edit("shop", "uid-orders.0", change)
			})
			err := l.Take(t.Context(), orders.Wanted(0, 9), orders.Keep)
			require.ErrorIs(t, err, uid.ErrRange)
			orders.Fails(t, err, false, "the annotations of the Lease uid-orders.0 cannot be read", says)
		})
	}
}

// A copy of an object has another UID than it says: what was written after it was made is not in it. That is seen from
// the second write on; before that nobody has an ID, but numbers of a tag may have been taken.
func TestCopies(t *testing.T) {
	t.Parallel()
	copied := func(o *fake.Lease) { o.Meta.UID = "another" }
	inCluster(t, func(t *testing.T, c *cluster) {
		l := c.made()
		c.Edit("shop", "uid-orders", copied)
		c.take(l)
		c.Edit("shop", "uid-orders", copied)
		again := func(o *fake.Lease) { o.Meta.UID = "a third" }
		c.Edit("shop", "uid-orders", again)
		l = orders.Leases(t, c.store())
		for _, err := range []error{
			l.Change(t.Context(), 0, orders.Unasked(t)),
			l.Take(t.Context(), orders.Wanted(0, 9), orders.Unasked(t)),
			l.Init(t.Context(), func(n *storage.Namespace, now storage.Clock) error {
				return orders.Unasked(t)(n, nil, now)
			}),
		} {
			require.ErrorIs(t, err, uid.ErrConfig)
			orders.Fails(t, err, false, "the Lease uid-orders is a copy", "Stop all that use it and delete it; the "+
				"next start makes a namespace anew, ahead of what may have been used")
		}
		c.Delete("shop", "uid-orders")
		require.EqualValues(t, 1, c.take(c.made()))

		numbers := c.store().Segments()
		for range 2 {
			require.NoError(t, numbers.Change(t.Context(), "orders", orders.Draw(9)))
			c.Edit("shop", "uidseg-orders", func(o *fake.Lease) { o.Meta.Labels["by"] = "hand" })
		}
		c.Edit("shop", "uidseg-orders", copied)
		err := numbers.Change(t.Context(), "orders", orders.UnaskedDraw(t))
		require.ErrorIs(t, err, segment.ErrLost)
		orders.Fails(t, err, false, "the Lease uidseg-orders is a copy", "Stop all that use it and delete it; ",
			"a tag has to begin above all numbers in use (its next number was 18)")
	})
}
