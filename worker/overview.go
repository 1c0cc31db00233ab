package worker

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
)

// A LeaseState says whether the worker ID of a lease can be had.
type LeaseState string

// The states of a lease.
const (
	LeaseLive        LeaseState = "live"       // held: nobody else can have the ID
	LeaseQuarantined LeaseState = "quarantine" // over, and not to be had yet
	LeaseFree        LeaseState = "free"       // the next worker may have it
)

// LeaseInfo is a row of the table of leased IDs. All times are by the database's
// clock.
type LeaseInfo struct {
	Namespace string
	WorkerID  int64
	State     LeaseState
	// Released says of a lease that is over that it was given back, by its holder or
	// by [Registry.Release]; else it ran out.
	Released bool
	// Holder says who has the ID or had it last, in its own words.
	Holder string
	// Acquired is when the holder got the ID, Renewed when it was last heard of, and
	// Until when the lease runs out or was given back.
	Acquired, Renewed, Until time.Time
	// High is the last tick, of Layout, that anyone may have used under the ID.
	High   int64
	Layout string
	// Reach is how far beyond the database's clock the holder may have reserved.
	Reach time.Duration
}

// NamespaceInfo is what is common to the leases of a namespace.
type NamespaceInfo struct {
	Namespace string
	// Layout is the one that all of its workers have; "" when the table does not
	// tell.
	Layout string
	// Reach is the largest of any lease that the namespace has had.
	Reach time.Duration
	// Live, Quarantined and Free count the IDs in each state. All others of the layout
	// have never been used, or were collected.
	Live, Quarantined, Free int64
}

// NodeInfo counts the disposable IDs.
type NodeInfo struct {
	// Rows is how many rows the table has, Last the largest ID in it, 0 if it is
	// empty, and Next the ID that the table's counter gives next, 0 if the database
	// does not tell it.
	Rows, Last, Next int64
}

// Used is the largest ID that is known to have been given, whether or not its row
// is still there.
func (n NodeInfo) Used() int64 { return max(n.Last, n.Next-1) }

// Overview is what the tables hold at one time.
type Overview struct {
	// Now is the database's clock.
	Now time.Time
	// Nodes is nil when there is no table of disposable IDs.
	Nodes *NodeInfo
	// HasLeases says whether there is a table of leased IDs. Leases are ordered by
	// namespace and worker ID, Namespaces by name.
	HasLeases  bool
	Leases     []LeaseInfo
	Namespaces []NamespaceInfo
}

// Overview reads who holds what. Quarantine is the workers' setting, which the
// database does not know; the default, for 0, is that of
// [LeaseConfig]. It returns [uid.ErrConfig] when it is negative. It needs SELECT on the tables, and takes no
// locks. A table that does not exist is left out.
func (r *Registry) Overview(ctx context.Context, quarantine time.Duration) (Overview, error) {
	var o Overview
	if quarantine < 0 {
		return o, fmt.Errorf("%w: quarantine %v is negative", uid.ErrConfig, quarantine)
	}
	if quarantine == 0 {
		quarantine = defaultQuarantine
	}
	err := r.do(ctx, "read the worker IDs", func(ctx context.Context, conn *sqlx.Conn) error {
		o = Overview{}
		var err error
		if o.Now, err = r.clock(ctx, conn); err != nil {
			return err
		}
		nodes, err := r.readNodes(ctx, conn)
		switch {
		case err == nil:
			o.Nodes = &nodes
		case !isMissingTable(err):
			return err
		}
		rows, err := r.readLeases(ctx, conn, "ORDER BY NAMESPACE, WORKER_ID")
		switch {
		case err == nil:
			o.HasLeases = true
			o.addLeases(rows, quarantine)
		case !isMissingTable(err):
			return err
		}
		return nil
	})
	return o, err
}

func (r *Registry) readNodes(ctx context.Context, from reader) (NodeInfo, error) {
	var n NodeInfo
	err := from.QueryRowContext(ctx, "SELECT COUNT(*), COALESCE(MAX(ID), 0) FROM `"+r.nodes+"`").Scan(&n.Rows, &n.Last)
	if err != nil {
		return n, failed("count the rows of table "+r.nodes, err)
	}
	n.Next, err = r.nextNode(ctx, from)
	return n, err
}

// nextNode reads the counter of the table of disposable IDs, 0 if the database does not
// tell it.
func (r *Registry) nextNode(ctx context.Context, from reader) (int64, error) {
	const doing = "read the counter of table "
	if r.dialect == SQLite {
		var next int64
		err := from.GetContext(ctx, &next, "SELECT seq + 1 FROM sqlite_sequence WHERE name = ?", r.nodes)
		if errors.Is(err, sql.ErrNoRows) {
			return 0, nil
		}
		if err != nil {
			if err = failed(doing+r.nodes, err); isMissingTable(err) {
				return 0, nil // no table of this database has a counter
			}
			return 0, err
		}
		return next, nil
	}
	// MySQL's information_schema may tell a counter of yesterday.
	var name, create string
	if err := from.QueryRowContext(ctx, "SHOW CREATE TABLE `"+r.nodes+"`").Scan(&name, &create); err != nil {
		return 0, failed(doing+r.nodes, err)
	}
	return counterOf(create), nil
}

// counterOf finds the counter in a statement that creates a table. It is left out
// there while it is 1.
func counterOf(create string) int64 {
	columns, options := create, ""
	if i := strings.LastIndex(create, "\n)"); i >= 0 {
		columns, options = create[:i], create[i:]
	}
	options, _, _ = strings.Cut(options, " COMMENT=")
	if !strings.Contains(options, "ENGINE=") || !strings.Contains(columns, " AUTO_INCREMENT") {
		return 0
	}
	_, digits, found := strings.Cut(options, " AUTO_INCREMENT=")
	if !found {
		return 1
	}
	digits, _, _ = strings.Cut(digits, " ")
	next, _ := strconv.ParseInt(digits, 10, 64) // 0 when it is none
	return next
}

// namespaceRow is a row of any namespace.
type namespaceRow struct {
	Namespace string
	leaseRow
}

func (row *namespaceRow) fields() []any {
	return append([]any{&row.Namespace}, row.leaseRow.fields()...)
}

func (r *Registry) readLeases(ctx context.Context, from reader, rest string, args ...any) ([]namespaceRow, error) {
	rows, err := selectRows(ctx, from, (*namespaceRow).fields, "SELECT NAMESPACE, "+leaseColumns+" FROM `"+r.leases+"` "+rest, args...)
	if err != nil {
		return nil, failed("read table "+r.leases, err)
	}
	return rows, nil
}

// addLeases takes in the rows, which are ordered by namespace and worker ID.
func (o *Overview) addLeases(rows []namespaceRow, quarantine time.Duration) {
	for _, row := range rows {
		if n := len(o.Namespaces); n == 0 || o.Namespaces[n-1].Namespace != row.Namespace {
			o.Namespaces = append(o.Namespaces, NamespaceInfo{Namespace: row.Namespace})
		}
		ns := &o.Namespaces[len(o.Namespaces)-1]
		if row.WorkerID == controlID {
			ns.Layout, ns.Reach = row.Layout, micros(row.Reach).sub(0)
			continue
		}
		lease := row.info(o.Now, quarantine)
		switch lease.State {
		case LeaseLive:
			ns.Live++
		case LeaseQuarantined:
			ns.Quarantined++
		case LeaseFree:
			ns.Free++
		}
		o.Leases = append(o.Leases, lease)
	}
}

func (row namespaceRow) info(now time.Time, quarantine time.Duration) LeaseInfo {
	l := LeaseInfo{
		Namespace: row.Namespace, WorkerID: row.WorkerID, Holder: row.Holder,
		Acquired: row.Acquired.time(), Renewed: row.Renewed.time(), Until: row.Until.time(),
		High: row.High, Layout: row.Layout, Reach: micros(row.Reach).sub(0), State: LeaseLive,
	}
	if row.Nonce != "" && !l.Until.Before(now) {
		return l
	}
	l.Released = row.Nonce == ""
	l.State = LeaseQuarantined
	if l.Until.Add(quarantine).Before(now) {
		l.State = LeaseFree
	}
	return l
}
