package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// A State says whether the worker ID of a lease can be leased again.
type State string

// The states of a lease.
const (
	Live        State = "live"       // held: nobody else gets the ID
	Quarantined State = "quarantine" // over, but nobody gets the ID yet
	Free        State = "free"       // the next worker may get it
)

// LeaseInfo is what the store holds about a lease. All times are by the store's clock.
type LeaseInfo struct {
	Namespace string
	WorkerID  int64
	State     State
	// Released reports whether a lease that is over was released, by its holder or by [Registry.Release]; else it
	// expired.
	Released bool
	// Holder describes the holder, or the last one, in its own words.
	Holder string
	// Acquired is when the holder leased the ID, Renewed its last renewal, and Until when the lease expires or was
	// released.
	Acquired, Renewed, Until time.Time
	// High is the last tick, of Layout, that may have been used under the ID.
	High   int64
	Layout string
}

// NamespaceInfo describes a namespace.
type NamespaceInfo struct {
	Namespace string
	// Layout is the layout of all its workers; "" when the namespace has no row of its own.
	Layout string
	// IDs are the worker IDs that the namespace has; the zero Range stands for all of the layout.
	IDs lease.Range
	// Live, Quarantined and Free count the IDs in each state. All other IDs of the layout were never used or are
	// Missing.
	Live, Quarantined, Free int64
	// Missing are the IDs whose row was deleted. No worker leases them until their rows are restored.
	Missing []lease.Range
}

// NodeInfo counts the disposable IDs.
type NodeInfo struct {
	// Rows is the number of rows in the table. Last is the largest ID in it, 0 if it is empty.
	// Next is the next ID by the table's counter, 0 if the database does not show it.
	Rows, Last, Next int64
	// Skipped counts the IDs that starts have skipped, since the store may have lost their rows.
	Skipped int64
}

// Used returns the largest ID that is known to have been given out, with or without a row.
func (n NodeInfo) Used() int64 { return max(n.Last, n.Next-1) }

// Overview is the content of a store. Namespaces are read one after another, and large ones in pages: each lease is as
// it was at some time of the call.
type Overview struct {
	// Now is the store's clock at the end.
	Now time.Time
	// Nodes is nil when there is no table of disposable IDs.
	Nodes *NodeInfo
	// HasLeases reports whether the store has a place for leases (a table, say). Leases are ordered by namespace and
	// worker ID, Namespaces by name. IDs that were never leased are left out.
	HasLeases  bool
	Leases     []LeaseInfo
	Namespaces []NamespaceInfo
}

// pageSize is how many rows are read at once.
const pageSize = 500

// defaultQuarantine is that of package lease.
const defaultQuarantine = 5 * time.Minute

// Overview reads all leases. Quarantine is how long workers leave an ID alone after its lease, which the store does not
// know; the default, for 0, is that of [lease.Config]. Overview returns [uid.ErrConfig] when it is negative. It needs
// the right to read, and takes no locks.
func (r *Registry) Overview(ctx context.Context, quarantine time.Duration) (o Overview, err error) {
	err = r.do(ctx, "read the worker IDs", func(ctx context.Context) error {
		o, err = Read(ctx, r.store, quarantine)
		return err
	})
	return o, err
}

// Read makes one attempt at [Registry.Overview].
func Read(ctx context.Context, store Store, quarantine time.Duration) (Overview, error) {
	var o Overview
	if quarantine < 0 {
		return o, fmt.Errorf("%w: quarantine %v is negative", uid.ErrConfig, quarantine)
	}
	quarantine = cmp.Or(quarantine, defaultQuarantine)
	if s, ok := store.(NodeStore); ok {
		nodes, found, err := s.Nodes(ctx)
		if found {
			o.Nodes = &nodes
		}
		if err != nil {
			return o, err
		}
	}
	names, now, err := store.Namespaces(ctx)
	o.Now = now.Now
	if errors.Is(err, worker.ErrNoNamespace) {
		return o, nil
	}
	if err != nil {
		return o, err
	}
	o.HasLeases = true
	for _, name := range names {
		if err := o.addNamespace(ctx, store, name, quarantine); err != nil {
			return o, err
		}
	}
	return o, nil
}

func (o *Overview) addNamespace(ctx context.Context, store Store, name string, quarantine time.Duration) error {
	ns := NamespaceInfo{Namespace: name}
	counts := map[State]*int64{Live: &ns.Live, Quarantined: &ns.Quarantined, Free: &ns.Free}
	var own storage.Namespace
	var have []int64
	for above := int64(-1); ; {
		page, err := store.Rows(ctx, name, above, pageSize)
		if err != nil {
			return err
		}
		o.Now = page.Clock.Now
		own = page.Namespace
		for _, row := range page.Rows {
			if have = append(have, row.WorkerID); row.Unused() {
				continue
			}
			l := info(name, row, page.Clock, quarantine)
			*counts[l.State]++
			o.Leases = append(o.Leases, l)
		}
		if len(page.Rows) < pageSize {
			break
		}
		above = page.Rows[len(page.Rows)-1].WorkerID
	}
	ns.Layout, ns.IDs = own.Layout, own.IDs
	if !own.Fresh {
		ns.Missing = own.Missing(cmp.Or(own.IDs, lease.Range{Last: own.Given}), have)
	}
	o.Namespaces = append(o.Namespaces, ns)
	return nil
}

// info describes a row by a clock. A lease is over only when it is so by the clock less its error.
func info(namespace string, row storage.Lease, c storage.Clock, quarantine time.Duration) LeaseInfo {
	l := LeaseInfo{
		Namespace: namespace, WorkerID: row.WorkerID, Holder: row.Holder,
		Acquired: row.Acquired, Renewed: row.Renewed, Until: row.Until,
		High: row.High, Layout: row.Layout, State: Live,
	}
	now := c.Now.Add(-c.Error)
	if row.Nonce != "" && !l.Until.Before(now) {
		return l
	}
	l.Released = row.Nonce == ""
	l.State = Quarantined
	if l.Until.Add(quarantine).Before(now) {
		l.State = Free
	}
	return l
}
