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

// A Level says how much a [Finding] matters.
type Level string

// The levels, in ascending order.
const (
	LevelOK    Level = "ok"    // as it should be
	LevelNote  Level = "note"  // good to know, or unknown
	LevelWarn  Level = "warn"  // may do harm, or wastes IDs
	LevelError Level = "error" // workers fail, or UIDs can come twice
)

// A Finding is the result of one thing that [Check] has examined.
type Finding struct {
	Level Level
	// What was examined, in a few words that stay the same, and the Value found. No value holds a
	// name of an account, a database or a host.
	What, Value string
	// Why it matters and what to Do; both are empty at LevelOK.
	Why, Do string
}

// Config holds the settings of a [Check]. The zero value works.
type Config struct {
	// MaxWorkerID is the largest worker ID of the layout of the disposable IDs. If it is 0 Check
	// does not judge how many are left.
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

	// Disposable is what the Check has read of the disposable IDs, for the [Examiner]; nil if there are none.
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
	maxClockSkew = 2 * time.Second             // by which workers refuse to start, as package lease has it
	maxAhead     = lease.Burn + 15*time.Minute // how far ahead of the clock the ticks of leases may lie
)

// Check examines the store for what can harm workers: the clocks, how many IDs are left, the
// namespaces and their leases, and what the store tells by itself if it is an [Examiner]. It only
// reads. What it may not see becomes a note; it fails only if it cannot ask the store at all. It
// retries failures that may pass.
//
// The findings are about the server, account and session that answered. Check cannot see how a
// failover will be decided, what a proxy does, or what a backup lacks.
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

func (c *check) add(f Finding)     { c.findings = append(c.findings, f) }
func (c *check) judge(rows ...Row) { c.findings = append(c.findings, Judge(rows...)...) }

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
		c.findings = append(c.findings, found...)
	}
	if err := c.clocks(ctx, store); err != nil {
		return err
	}
	c.nodesLeft(o)
	c.leasesSound(o)
	c.spaces(o)
	return nil
}
