package worker

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/clitest"
	"github.com/uidgen/uid/cmd/uid/internal/places"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/worker/lease"
)

// The commands' outputs, of data with fixed times and hosts.
func TestWorkerGolden(t *testing.T) {
	overview, findings := known()
	list := func(f cli.Format, change func(*ls)) func(*cli.Program) error {
		return func(p *cli.Program) error {
			c := &ls{p: p, layout: cli.NewLayoutFlag(), format: f}
			c.store.Nodes = places.NodeTable
			if change != nil {
				change(c)
			}
			return c.show(overview, new(places.Opened))
		}
	}
	check := func(f cli.Format, findings []doctor.Finding) func(*cli.Program) error {
		return func(p *cli.Program) error { return showFindings(p, f, findings) }
	}
	released := func(f cli.Format, i int) func(*cli.Program) error {
		return func(p *cli.Program) error { showReleased(p, f, overview.Leases[i]); return nil }
	}
	clitest.Golden(t, "ls", list(cli.Table, nil))
	clitest.Golden(t, "ls_wide", list(cli.Table, func(c *ls) { c.wide = true }))
	clitest.Golden(t, "ls_json", list(cli.JSON, nil))
	clitest.Golden(t, "ls_plain", list(cli.Plain, nil))
	clitest.Golden(t, "ls_namespace", list(cli.Table, func(c *ls) {
		c.namespace = "default"
		require.NoError(t, c.layout.Set("28/2/13"))
	}))
	clitest.Golden(t, "ls_layout", list(cli.Table, func(c *ls) { require.NoError(t, c.layout.Set("js")) }))
	clitest.Golden(t, "ls_unknown", list(cli.Table, func(c *ls) { c.namespace = "nope" }))
	clitest.Golden(t, "ls_unknown_dsn", list(cli.JSON, func(c *ls) { c.namespace = "me:hunter2@tcp(h)" }))
	clitest.Golden(t, "check", check(cli.Table, findings))
	clitest.Golden(t, "check_json", check(cli.JSON, findings))
	clitest.Golden(t, "check_plain", check(cli.Plain, findings[:3]))
	clitest.Golden(t, "release", released(cli.Table, 0))
	clitest.Golden(t, "release_again", released(cli.Table, 1))
	clitest.Golden(t, "release_json", released(cli.JSON, 0))
}

// known is what a store holds, and what a check of it finds.
func known() (registry.Overview, []doctor.Finding) {
	layout := bits.Default()
	at := func(d time.Duration) time.Time { return clitest.Today.Add(d) }
	row := func(space string, id int64, state registry.State, released bool, until time.Duration) registry.LeaseInfo {
		return registry.LeaseInfo{
			Namespace: space, WorkerID: id, Holder: fmt.Sprintf("host-%d/4711", id), State: state, Released: released,
			Acquired: at(until - 3*time.Hour), Renewed: at(until - 5*time.Minute), Until: at(until),
			High: layout.TickAt(at(until - 3*time.Minute)), Layout: layout.String(),
		}
	}
	overview := registry.Overview{
		Now: clitest.Today, HasLeases: true, Nodes: &registry.NodeInfo{Rows: 17, Last: 17, Next: 18},
		Leases: []registry.LeaseInfo{
			row("default", 0, registry.Live, false, 270*time.Second),
			row("default", 1, registry.Quarantined, true, -time.Minute),
			row("default", 2, registry.Quarantined, false, -2*time.Minute),
			row("default", 3, registry.Free, true, -time.Hour),
			row("default", 4, registry.Free, false, -72*time.Hour),
			row("shop", 0, registry.Live, false, 299*time.Second),
			row("strange", 900, registry.Live, false, time.Minute),
		},
		Namespaces: []registry.NamespaceInfo{
			{Namespace: "default", Layout: layout.String(), Live: 1, Quarantined: 2, Free: 2},
			{Namespace: "shop", Layout: layout.String(), IDs: lease.Range{Last: 1023}, Live: 1,
				Missing: []lease.Range{{First: 3, Last: 3}, {First: 7, Last: 9}}},
			{Namespace: "strange", Layout: "unheard of", Live: 1},
		},
	}
	overview.Leases[6].Layout = "unheard of"
	overview.Leases[6].Holder = "\x1b[2Jrude\tholder\n"
	findings := []doctor.Finding{
		{Level: doctor.LevelOK, What: "server", Value: "MariaDB 10.11.19"},
		{Level: doctor.LevelNote, What: "replica", Value: "could not be told", Do: "Make sure.",
			Why: "A replica that accepts writes diverges from its primary, and both hand out the same IDs."},
		{Level: doctor.LevelWarn, What: "auto_increment_increment", Value: "7, offset 1", Do: "Set it to 1.",
			Why: "Each start uses up 7."},
		{Level: doctor.LevelError, What: "sync_binlog", Value: "0", Why: "Commits are lost.", Do: "Set it to 1."},
	}
	return overview, findings
}
