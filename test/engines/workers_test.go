package engines_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines/cluster"
)

// notOnMySQL9 are tests of package databases that would not meet the server, or only once more:
// those of files, those that start servers of their own, and the suite of stores.
var notOnMySQL9 = []string{
	"SQLite", "/SQLite", "^TestStore$", "^TestInspectTellsWhatCanBeLost$", "^TestCheckOfAPair$", "^TestCheckOfASoundDatabase$",
	"^TestCheckOfACarelessServer$", "^TestReadOnlyServer$", "^TestServerRestarts$",
}

// The tests of workers, which mostly run on MariaDB, pass on MySQL 9 as well.
func TestWorkersOnMySQL9(t *testing.T) {
	s, err := cluster.StartMySQL9("workers", "--skip-log-bin")
	cluster.For(t, s, err)
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count", "1", "-timeout", "5m", "-v", "-skip", strings.Join(notOnMySQL9, "|"),
		"github.com/uidgen/uid/test/databases")
	cmd.Env = append(os.Environ(), cluster.Env+"=root@tcp("+s.Addr(0)+")/")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	passed := strings.Count(string(out), "\n--- PASS: ")
	t.Logf("%d tests passed", passed)
	require.Greater(t, passed, 50)
	var name string
	var questions int
	db := openSQL(t, "mysql", s.Source(s.Addr(0)))
	require.NoError(t, db.QueryRow("SHOW GLOBAL STATUS LIKE 'Questions'").Scan(&name, &questions))
	require.Greater(t, questions, 1000, "the tests have used another server")
}
