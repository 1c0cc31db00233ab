package main

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"
)

// TestWithoutTheFault runs what the trials of leases do, without the faults themselves: no
// UID comes twice there, so it is the faults that the self-test finds.
func TestWithoutTheFault(t *testing.T) {
	owner := planted("", leased, embedded, fill)
	owner.Durable, owner.MaxLead = true, 10*time.Second
	long, short := owner, owner
	long.Durable, short.Durable = false, false
	long.Window, short.Window = 2*time.Second, 500*time.Millisecond
	turning := planted("", static, "", strict)
	turning.Cached = false

	const over = leaseTTL + leaseQuarantine
	for name, tr := range map[string]trial{
		"no loss":      {slots: []slot{owner}, script: oneAfterTheOther(ahead, 0, nil)},
		"true last":    {slots: []slot{owner}, script: oneAfterTheOther(ahead, over, nil)},
		"clock behind": {slots: []slot{owner, owner}, script: oneAfterTheOther(2*time.Second, over, setBehind)},
		"truncate, and a rest": {slots: []slot{long, short}, script: oneAfterTheOther(0, 0, func(f *fleet) error {
			return f.table(func(db *sqlx.DB, t leaseTable) error {
				if err := execAll(db, "DELETE FROM "+t.name); err != nil {
					return err
				}
				return f.stores.found(db, t, long.Window*3/2+leaseSkew)
			})
		})},
		"two owners": {slots: []slot{owner, owner}, script: oneBesideTheOther(leaseQuarantine)},
		"no turn":    {slots: []slot{planted("", static, "", strict), turning}, script: turn},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := tr.run(filepath.Join(t.TempDir(), "workers.db"))
			require.NoError(t, err)
			// Six fleets at once may be behind their clocks.
			require.NotContains(t, f.Violation, "was drawn again")
		})
	}
}
