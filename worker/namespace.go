package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
)

// newNamespaceRest is for how long a namespace rests, at least, that a start has made.
// Nobody can tell a new one from one whose rows were lost, whose owners may be at work.
// Such an owner notices at its next renewal, half its Window later, and what it had
// reserved by then ends 3/2 of its Window after its last one.
const newNamespaceRest = 5 * time.Minute

// A Namespace is what [Registry.Init] makes.
type Namespace struct {
	// Name is as in [LeaseConfig]; the default, for "", is "default".
	Name string

	// Terms are those of the layout of its UIDs: of a bits.Layout, what its method of
	// that name returns. All generators in the namespace have to have this layout.
	Terms uid.Terms

	// Rest is for how long nobody gets an ID, and what lies below the first ticks that
	// anybody gets then. It is 0 for a namespace that nobody has ever had an ID of. After
	// its rows were lost it is to be at least as long as any owner's TTL and 3/2 Window, and,
	// with DurableStore, its generator's MaxLead and its Offline.
	// Negative values and those above 100 years are refused.
	Rest time.Duration
}

// Init makes a namespace of leases, in a table that it creates if it is missing. Whoever
// calls it vouches that nobody has an ID of the namespace, or had one within the Rest: so
// it is for a person, once, and not for each start of a program. Leases with DurableStore
// need it; for others it spares the first start a rest of five minutes.
//
// If the namespace is there already, Init changes nothing, but for one that a start has made
// and of which nobody has had an ID yet: with a Rest of 0 it ends that one's rest.
//
// It returns [uid.ErrConfig] or [uid.ErrRange] when n cannot be used, and [ErrLayout] when the
// namespace is one of another layout. It needs SELECT, INSERT, UPDATE and CREATE.
func (r *Registry) Init(ctx context.Context, n Namespace) error {
	if n.Name == "" {
		n.Name = defaultNamespace
	}
	if err := checkNamespace(n.Name); err != nil {
		return err
	}
	if n.Terms.Layout == "" || n.Terms.Unit <= 0 || n.Terms.Epoch.IsZero() || n.Terms.MaxTick <= 0 {
		return fmt.Errorf("%w: the Terms of namespace %q are not those of a layout: %+v", uid.ErrConfig, n.Name, n.Terms.Layout)
	}
	if n.Rest < 0 || n.Rest > maxDuration {
		return fmt.Errorf("%w: Rest %v is not within 0 and %v", uid.ErrConfig, n.Rest, maxDuration)
	}
	create, err := schema(workerLease, r.leases, r.dialect)
	if err != nil {
		return err
	}
	t := leaseTable{db: r.db, dialect: r.dialect, clock: r.clockQuery, name: r.leases, create: create, namespace: n.Name, stall: maxStall}
	err = retry.Do(ctx, r.timeout, r.log, func(ctx context.Context) error { return t.found(ctx, n.Terms, n.Rest) })
	if err != nil {
		return fmt.Errorf("worker: make namespace %q in table %s: %w", n.Name, r.leases, err)
	}
	return nil
}

// found makes the table and the namespace as far as they are missing. Without a rest it
// also ends that of a namespace without IDs.
func (t *leaseTable) found(ctx context.Context, terms uid.Terms, rest time.Duration) error {
	do := func() error {
		return t.transact(ctx, func(tx session) error { return t.foundControl(ctx, tx, terms, rest) })
	}
	err := do()
	if kindOf(err) != missingTable {
		return err
	}
	conn, err := t.db.Connx(ctx)
	if err != nil {
		return failed("connect", err)
	}
	_, err = conn.ExecContext(ctx, t.create)
	if closed := conn.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return failed("create the table", err)
	}
	return do()
}

func (t *leaseTable) foundControl(ctx context.Context, tx session, terms uid.Terms, rest time.Duration) error {
	// To lock what is not there locks the gap, and whoever inserts into it then meets a
	// deadlock with others that do so.
	row, found, err := t.read(ctx, tx, controlID, "")
	if err != nil {
		return err
	}
	if found {
		if row, found, err = t.lock(ctx, tx, controlID); err != nil {
			return err
		}
	}
	now, err := t.now(ctx, tx)
	if err != nil {
		return err
	}
	fresh := leaseRow{WorkerID: controlID, High: -1, Layout: terms.Layout, Acquired: now, Renewed: now}
	if rest > 0 {
		fresh.Until = now.add(rest)
		fresh.High = min(max(terms.TickAt(fresh.Until.time()), -1), terms.MaxTick)
	}
	if !found {
		// Rows may be left of which the namespace's own was deleted, with owners at work.
		if fresh.Reach, err = t.widestReach(ctx, tx); err != nil {
			return err
		}
		err := t.insert(ctx, tx, fresh)
		if isDuplicate(err) {
			return &failure{"insert the namespace's row", errors.New("another start has just done so"), transient}
		}
		return err
	}
	if row.Layout != terms.Layout {
		return fmt.Errorf("%w: the namespace's UIDs are of %s, now asked for %s", ErrLayout, row.Layout, terms.Layout)
	}
	if rest > 0 || row.Until < now {
		return nil
	}
	_, used, err := t.anyID(ctx, tx)
	if err != nil || used {
		return err
	}
	fresh.Acquired, fresh.Reach = row.Acquired, row.Reach
	return t.update(ctx, tx, fresh, row.Nonce)
}

// checkNamespace refuses a name that not all databases keep and compare alike: a server
// stores it as the charset of the connection has it. That differs beyond ASCII, and for some
// of ASCII, too, where national letters are in its place (swe7).
func checkNamespace(name string) error {
	if n := len(name); n > maxNamespaceLen {
		return fmt.Errorf("%w: the Namespace %.100q has %d bytes, the table holds %d", uid.ErrRange, name, n, maxNamespaceLen)
	}
	for i := range len(name) {
		if c := name[i]; c < ' ' || c > '~' || strings.IndexByte("@[\\]^`{|}~", c) >= 0 {
			return fmt.Errorf("%w: the Namespace %.100q has the byte 0x%02x at %d, which not all charsets have alike: "+
				"ASCII letters, digits, spaces and !\"#$%%&'()*+,-./:;<=>?_ can be used", uid.ErrConfig, name, c, i)
		}
	}
	if name == "" || name[0] == ' ' || name[len(name)-1] == ' ' {
		return fmt.Errorf("%w: the Namespace %.100q is empty or has spaces around it", uid.ErrConfig, name)
	}
	return nil
}
