package databases_test

import (
	"context"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/kit"
)

// A process that stands still between what it reads and what it writes keeps nobody from its
// ID, nor from any ID.
func TestLeaseStall(t *testing.T) {
	for _, during := range []string{"renewal", "acquisition"} {
		t.Run(during, func(t *testing.T) {
			s := kit.NewMySQL(t)
			p := kit.NewProxy(t, serverOf(t, s))
			db := s.Open(t)
			first := tenantOf(t, db)
			first.take(t)
			still := strangerOf(t, s.With(t, func(c *mysql.Config) { c.Addr, c.InterpolateParams = p.Addr(), true }).Open(t), "")
			still.row, still.nonces = first.row, first.nonces

			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			p.Stall("LEFT JOIN")
			go func() {
				if during == "renewal" {
					ended <- still.renew(ctx)
				} else {
					_, err := still.tryTake(ctx)
					ended <- err
				}
			}()
			require.Eventually(t, func() bool { return p.Swallowed() == 1 }, time.Minute, time.Millisecond)
			if during == "renewal" {
				require.NoError(t, first.renew(t.Context()))
			} else {
				require.EqualValues(t, 1, strangerOf(t, db, "").take(t).WorkerID)
			}
			cancel()
			require.Error(t, <-ended)
		})
	}
}

// What leases set on a connection of the program's pool it sets back.
func TestLeaseSession(t *testing.T) {
	db := kit.NewMySQL(t).With(t, func(c *mysql.Config) {
		c.Params = map[string]string{"wait_timeout": "1234", "sql_mode": "'ANSI_QUOTES'"}
	}).Open(t)
	db.SetMaxOpenConns(1)
	var id, now, waits int
	var mode string
	require.NoError(t, db.Get(&id, "SELECT CONNECTION_ID()"))
	owner := tenantOf(t, db)
	owner.take(t)
	require.NoError(t, owner.renew(t.Context()))
	owner.release(t)
	require.ErrorIs(t, owner.renew(t.Context()), errLost)
	require.NoError(t, db.Get(&now, "SELECT CONNECTION_ID()"))
	require.Equal(t, id, now)
	require.NoError(t, db.Get(&waits, "SELECT @@SESSION.wait_timeout"))
	require.Equal(t, 1234, waits)
	require.NoError(t, db.Get(&mode, "SELECT @@SESSION.sql_mode"))
	require.Equal(t, "ANSI_QUOTES", mode)
}

// A commit whose reply never comes ends with its context; the row tells what became of it.
func TestLeaseCommitHangs(t *testing.T) {
	s := kit.NewMySQL(t)
	p := kit.NewProxy(t, serverOf(t, s))
	owner := tenantOf(t, s.With(t, func(c *mysql.Config) { c.Addr, c.InterpolateParams = p.Addr(), true }).Open(t))
	was := owner.take(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	p.Stall(cluster.LeaseWrite)
	go func() { ended <- owner.renew(ctx) }()
	require.Eventually(t, func() bool { return p.Swallowed() == 1 }, time.Minute, time.Millisecond)
	cancel()
	select {
	case err := <-ended:
		require.ErrorIs(t, err, context.Canceled)
	case <-time.After(15 * time.Second):
		p.Cut()
		require.ErrorIs(t, <-ended, context.Canceled, "it waited until the connection was cut")
	}
	require.Equal(t, was, owner.row)
	require.NoError(t, owner.renew(t.Context()))
	require.Greater(t, owner.row.High, was.High)
}
