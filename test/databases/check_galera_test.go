package databases_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
)

func TestCheckGalera(t *testing.T) {
	engines.Needs(t, "galera")
	g, err := cluster.StartGalera("check", "--innodb-flush-log-at-trx-commit=1")
	cluster.For(t, g, err)
	first := g.Nodes[0]
	db := opening(t, "mysql", first.Source(first.Addr(0)))
	both(t, db)

	m := checked(t, db, doctor.Config{})
	require.Equal(t, badness{
		"certification": doctor.LevelNote, "Galera's durability": doctor.LevelWarn, "wsrep_sync_wait": doctor.LevelNote,
		"auto_increment_increment": doctor.LevelWarn, // Galera sets it to the number of nodes
		"grants":                   doctor.LevelWarn, "spaces of worker IDs": doctor.LevelNote,
	}, m.levels(), "%+v", m)
	require.Equal(t, "Primary, wsrep_ready ON", m["wsrep_cluster_status"].Value)
	require.Equal(t, "Synced", m["wsrep_local_state_comment"].Value)
	require.Equal(t, "3", m["wsrep_cluster_size"].Value)
	require.Equal(t, "Galera", m["replication"].Value)
	require.Equal(t, doctor.LevelError, checked(t, db, doctor.Config{Never: true})["Galera's durability"].Level)

	odd := opening(t, "mysql", first.Source(first.Addr(0))+"&wsrep_sync_wait=1&wsrep_trx_fragment_size=100")
	m = checked(t, odd, doctor.Config{})
	require.Equal(t, doctor.LevelOK, m["wsrep_sync_wait"].Level)
	require.Equal(t, doctor.LevelWarn, m["wsrep_trx_fragment_size"].Level)

	g.Nodes[2].Kill()
	g.Nodes[1].Kill()
	require.NoError(t, first.AwaitPrimary(false))
	// A node that is cut off is not judged: it refuses all.
	_, err = doctor.Check(t.Context(), examined(db), doctor.Config{Timeout: time.Second, Logger: quiet()})
	require.ErrorContains(t, err, "gave up after 1s")
	require.ErrorContains(t, err, "1047")
}
