package fleet

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/test/crew"
	"github.com/uidgen/uid/test/kit"
)

// A database that answers, but with a refusal: what servers say then names accounts,
// databases and hosts. Callers get ErrNoReservation, the number and no name, and go on by
// themselves once the database lets them.
func TestDenied(t *testing.T) {
	s, admin := openShared(t)
	through := kit.NewProxy(t, s.Addr)
	db, err := store{Addr: through.Addr()}.open(t.Context())
	require.NoError(t, err)
	defer db.Close()
	var logged texts
	cfg := crew.Brisk.Config()
	cfg.Logger = logged.Logger()
	l, err := newLease(db, cfg)
	require.NoError(t, err)
	g, err := crew.NewGenerator(l, true, logged.Logger())
	require.NoError(t, err)
	defer g.Close()
	draw := func() error {
		_, err := g.GetUID()
		logged.error(err)
		time.Sleep(time.Millisecond)
		return err
	}
	const account = "'" + canary + "'@'%'"
	for _, c := range []struct{ name, spoil, mend, says string }{
		{"rights", "REVOKE UPDATE ON " + canary + ".* FROM " + account, "GRANT UPDATE ON " + canary + ".* TO " + account, "1142"},
		{"password", "ALTER USER " + account + " IDENTIFIED BY 'another'", "ALTER USER " + account + " IDENTIFIED BY '" + canary + "'", "1045"},
		{"table", "RENAME TABLE WORKER_LEASE TO AWAY", "RENAME TABLE AWAY TO WORKER_LEASE", "1146"},
		{"column", "ALTER TABLE WORKER_LEASE RENAME COLUMN HIGH TO AWAY", "ALTER TABLE WORKER_LEASE RENAME COLUMN AWAY TO HIGH", "1054"},
	} {
		t.Run(c.name, func(t *testing.T) {
			do := func(statement string) {
				_, err := admin.Exec(statement)
				require.NoError(t, err, statement)
				through.Cut() // a connection keeps the rights that it has
			}
			crew.Await(t, "a UID", func() bool { return draw() == nil })
			do(c.spoil)
			crew.Await(t, "the reservation to be used up, and the reason", func() bool {
				err := draw()
				return errors.Is(err, uid.ErrNoReservation) && strings.Contains(err.Error(), c.says)
			})
			do(c.mend)
			crew.Await(t, "a UID", func() bool { return draw() == nil })
		})
	}
	require.False(t, logged.leaks(), logged.String())
}
