package databases_test

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// milliseconds is a layout of short ticks.
var milliseconds, _ = bits.ParseLayout("41/10/12 unit=1ms epoch=2026-01-01T00:00:00Z")

// millis are its terms.
func millis(maxID int64) uid.Terms {
	t := milliseconds.Terms()
	t.MaxWorkerID, t.Revoke = maxID, func() {}
	return t
}

// wanted is any ID of ten bits that has been over for a minute.
var wanted = leasestore.Wanted{
	IDs: lease.Range{First: 0, Last: 1023}, Rest: time.Minute,
	Highest: func(now time.Time) int64 { return millis(0).TickAt(now) + 1e6 },
}

// A tenant uses a store of leases as simply as can be: it takes an ID, and raises its ticks
// at each renewal. Package lease does more.
type tenant struct {
	lease.Store
	segments segment.Store // of the same database
	// row is what was acknowledged last.
	row leasestore.Row
	// nonces are those that the row may bear.
	nonces []string
}

// tenantOf returns one in a namespace that is there.
func tenantOf(t testing.TB, db *sqlx.DB) *tenant {
	t.Helper()
	n := strangerOf(db, "")
	require.NoError(t, lease.Found(t.Context(), n, lease.Founding{Layout: milliseconds}))
	return n
}

// ownerOf returns one that has an ID.
func ownerOf(t testing.TB, db *sqlx.DB) *tenant {
	t.Helper()
	n := tenantOf(t, db)
	n.take(t)
	return n
}

// strangerOf returns one in a namespace that may not be there.
func strangerOf(db *sqlx.DB, namespace string) *tenant {
	tables := tablesOf(db, sqlstore.Config{})
	return &tenant{Store: must(tables.Leases(namespace)), segments: tables.Segments()}
}

// take leases an ID.
func (n *tenant) take(t testing.TB) leasestore.Row {
	t.Helper()
	row, err := n.tryTake(t.Context())
	require.NoError(t, err)
	return row
}

func (n *tenant) tryTake(ctx context.Context) (leasestore.Row, error) {
	var taken leasestore.Row
	err := n.Take(ctx, wanted, func(_ *leasestore.Namespace, r *leasestore.Row, now leasestore.Clock) error {
		r.Acquired = now.Now
		n.write(r, now)
		taken = *r
		return nil
	})
	if err == nil {
		n.row = taken
	}
	return n.row, err
}

var errLost = errors.New("the row is another's")

// renew raises the ticks. It returns errLost when the row is not the tenant's any more.
func (n *tenant) renew(ctx context.Context) error {
	var renewed leasestore.Row
	err := n.Change(ctx, n.row.WorkerID, func(_ *leasestore.Namespace, r *leasestore.Row, now leasestore.Clock) error {
		if r == nil || !slices.Contains(n.nonces, r.Nonce) {
			return errLost
		}
		n.write(r, now)
		renewed = *r
		return nil
	})
	if err == nil {
		n.row = renewed
	}
	return err
}

// release ends the lease.
func (n *tenant) release(t testing.TB) {
	t.Helper()
	end := func(_ *leasestore.Namespace, r *leasestore.Row, now leasestore.Clock) error {
		r.Nonce, r.Until, r.Renewed = "", now.Now, now.Now
		return nil
	}
	require.NoError(t, n.Change(t.Context(), n.row.WorkerID, end))
}

func (n *tenant) write(r *leasestore.Row, now leasestore.Clock) {
	r.Nonce, r.High = rand.Text(), max(r.High+1, millis(0).TickAt(now.Now))
	r.Until, r.Renewed = now.Now.Add(time.Minute), now.Now
	r.Layout, r.Holder = millis(0).Layout, "tenant"
	n.nonces = append(n.nonces, r.Nonce)
}

// leaseRow is what tests look at of a row of the table.
type leaseRow struct {
	Nonce string `db:"NONCE"`
	High  int64  `db:"HIGH"`
}

func rowIn(t testing.TB, db *sqlx.DB, id int64) (r leaseRow) {
	t.Helper()
	query := "SELECT " + columns("NONCE HIGH") + " FROM WORKER_LEASE WHERE NAMESPACE = 'default' AND WORKER_ID = ?"
	require.NoError(t, db.Get(&r, db.Rebind(query), id))
	return r
}

// columns selects columns by names in capitals, which PostgreSQL makes others of.
func columns(names string) string {
	all := strings.Fields(names)
	for i, name := range all {
		all[i] = name + ` AS "` + name + `"`
	}
	return strings.Join(all, ", ")
}
