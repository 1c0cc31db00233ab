package databases_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker"
)

// An owner whose file was moved away looks at its place, and leaves the journal alone of
// the file that is there now, which somebody is writing to.
func TestMovedOwnerLeavesTheNewJournalAlone(t *testing.T) {
	t.Parallel()
	s := engines.NewSQLite(t)
	owner := ownerOf(t, s.Open(t))
	require.NoError(t, os.Rename(s.Source, s.Source+".moved"))

	conn := must(s.Open(t).Connx(t.Context()))
	defer conn.Close()
	for _, statement := range []string{
		"CREATE TABLE X (B BLOB)", "INSERT INTO X VALUES (1)",
		"PRAGMA cache_size = 1", "BEGIN IMMEDIATE", // whose pages spill into the file, with their journal
		"INSERT INTO X SELECT randomblob(4000) FROM (WITH RECURSIVE c(i) AS " +
			"(SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 200) SELECT i FROM c)",
	} {
		_, err := conn.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	require.FileExists(t, s.Source+"-journal")
	require.ErrorIs(t, owner.renew(t.Context()), worker.ErrState)
	require.FileExists(t, s.Source+"-journal")
	must(conn.ExecContext(t.Context(), "COMMIT"))
}
