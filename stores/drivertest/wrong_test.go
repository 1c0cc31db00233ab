package drivertest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/drivers"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/stores"
)

// Each check finds what is wrong with a driver that breaks what the check is for.
func TestWrong(t *testing.T) {
	t.Parallel()
	faults := map[string]func(*drivers.Memory) stores.Driver{
		"records": drivers.ThreeBytes, "ranges": drivers.Shortsighted, "refused writes": drivers.Selfish,
		"many records": drivers.Halving, "writes at once": drivers.Torn, "old answers": drivers.Stale,
		"ages": drivers.Slow, "lost writes": drivers.Unaware, "contexts end": drivers.Unmarked,
	}
	for _, c := range checks {
		t.Run(c.Name, func(t *testing.T) {
			found := suite.Finds(t, c, func(t *testing.T) *probe {
				clock := fake.NewFrozenClock(time.Now())
				m := &drivers.Memory{Now: clock.Now}
				d := faults[c.Name](m)
				return &probe{suite.NewProbe(t.Context(), suite.Settings{}.OrDefaults(), ""), Subject{
					Open: func() (stores.Driver, error) { return d, nil }, Advance: clock.Step, Backup: m.Backup,
				}}
			})
			require.NotEmpty(t, found)
			t.Logf("%.300s", found[0])
		})
	}
}
