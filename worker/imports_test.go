package worker_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Who uses a worker pays for no SQLite.
func TestNoSQLiteInTheImportGraph(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "github.com/uidgen/uid/worker").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "github.com/jmoiron/sqlx\n")
	for pkg := range strings.Lines(string(out)) {
		require.NotContains(t, strings.ToLower(pkg), "sqlite")
		require.NotContains(t, pkg, "modernc.org")
	}
}
