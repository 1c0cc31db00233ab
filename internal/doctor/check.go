// Package doctor examines a store of worker IDs for faults that can harm workers: settings that lose writes or waste
// IDs, clocks, rights, namespaces and their leases. [Check] returns findings, each with its reason and its cure.
//
// It examines what every store has. Findings of one kind of store come from the store, if it is an [Examiner].
package doctor

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/worker/lease"
)

// Config holds the settings of a [Check]. The zero value works.
type Config struct {
	// MaxWorkerID is the largest worker ID of the layout of the disposable IDs. For 0 Check does not judge how many are
	// left.
	MaxWorkerID int64

	// Never says that workers have [lease.Never] for their Losses. A setting that can lose a write is
	// then an error for leases, too.
	Never bool

	// Terms returns the epoch and the unit of a layout from its description; with package bits:
	//
	//	func(text string) (uid.Terms, error) {
	//		l, err := bits.ParseLayout(text)
	//		return l.Terms(), err
	//	}
	//
	// Without it Check judges neither the ticks of leases nor how many IDs are left for them.
	Terms func(layout string) (uid.Terms, error)

	// Disposable has the numbers of disposable IDs, which Check sets for the [Examiner]; nil if there are none.
	Disposable *registry.NodeInfo

	// Timeout bounds the Check, all attempts together. The default, for 0, is 30 s.
	Timeout time.Duration

	// Logger gets a Warn record when the store is not available at first. The
	// default, for nil, is slog.Default at the time of the Check.
	Logger *slog.Logger

	// Now is the clock that is compared with the store's. The default, for nil, is
	// time.Now.
	Now func() time.Time
}

const (
	maxClockSkew = 2 * time.Second             // beyond it workers refuse to start, as package lease has it
	maxAhead     = lease.Burn + 15*time.Minute // how far ahead of the clock the ticks of leases may lie
)

// Check examines the clocks, how many IDs are left, the namespaces and their leases, and what the store examines if it
// is an [Examiner]. It only reads. A part that it may not see becomes a note; it fails only if it cannot ask the store
// at all. It retries failures that may pass.
//
// The findings are about the server, account and session that answered. Check does not see how a failover is decided,
// where a proxy sends statements, or which writes a backup lacks.
func Check(ctx context.Context, store registry.Store, cfg Config) ([]Finding, error) {
	if store == nil {
		return nil, fmt.Errorf("%w: no store", uid.ErrConfig)
	}
	if cfg.MaxWorkerID < 0 {
		return nil, fmt.Errorf("%w: MaxWorkerID %d is negative", uid.ErrConfig, cfg.MaxWorkerID)
	}
	if err := settings.Timeout(cfg.Timeout); err != nil {
		return nil, err
	}
	cfg.Logger, cfg.Now = settings.Logger(cfg.Logger), settings.Clock(cfg.Now)
	var findings []Finding
	err := retry.Do(ctx, cfg.Timeout, cfg.Logger, func(ctx context.Context) error {
		c := &check{Config: cfg}
		err := c.all(ctx, store)
		findings = c.findings
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("check the store: %w", err)
	}
	return findings, nil
}

// A check is one attempt of Check.
type check struct {
	Config
	unread   bool // a part of the store could not be read
	findings []Finding
}

func (c *check) add(findings ...Finding) {
	for _, f := range findings {
		if f.Level != "" {
			c.findings = append(c.findings, f)
		}
	}
}

func (c *check) all(ctx context.Context, store registry.Store) error {
	o, err := c.read(ctx, store)
	if err != nil {
		return err
	}
	c.Disposable = o.Nodes
	if e, ok := store.(Examiner); ok {
		found, err := e.Examine(ctx, c.Config)
		if err != nil {
			return err
		}
		c.add(found...)
	}
	clocks, err := c.clocks(ctx, store)
	if err != nil {
		return err
	}
	c.add(append(clocks, c.nodesLeft())...)
	c.leasesSound(o)
	c.add(c.spaces(o)...)
	return nil
}

const (
	whatNodes  = "disposable IDs"
	whatLeases = "leased IDs"
)

// read reads the store. A part that is missing or cannot be read becomes a finding. It fails when the store cannot be
// asked.
func (c *check) read(ctx context.Context, store registry.Store) (registry.Overview, error) {
	var nodes *registry.NodeInfo
	if s, ok := store.(registry.NodeStore); ok {
		n, found, err := s.Nodes(ctx)
		if retry.IsTransient(err) {
			return registry.Overview{}, err
		}
		if c.there(whatNodes, found, err,
			"Nothing, if no worker uses them; the first one makes the place if its account may.") {
			nodes = &n
		}
	}
	o, err := registry.Read(ctx, struct{ registry.Store }{store}, 0)
	if retry.IsTransient(err) || err != nil && o.Now.IsZero() {
		return o, err
	}
	if !c.there(whatLeases, o.HasLeases, err, "Nothing, if no worker uses them; else run uid worker init, if nobody "+
		"has ever leased an ID. A first start makes the place, too, but begins two minutes ahead of the clock.") {
		o = registry.Overview{Now: o.Now}
	}
	o.Nodes = nodes
	return o, nil
}

// there reports whether a part of the store was read; else it adds a finding. do is the advice if there is none.
func (c *check) there(what string, found bool, err error, do string) bool {
	c.unread = c.unread || err != nil
	c.add(Finding{What: what}.
		But(err != nil, LevelError, "unreadable", fmt.Sprintf("Reading them failed: %v.", err),
			"Compare this account's rights, and the table or keys, with the store's documentation.").
		But(!found, LevelNote, "none", "The store has no place for them (a table, say): nobody has used one yet, or "+
			"the place was renamed or dropped.", do))
	return found && err == nil
}
