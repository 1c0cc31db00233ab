package places

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

func TestWhereTheStoreIs(t *testing.T) {
	root := string(filepath.Separator)
	for _, tt := range []struct {
		goos string
		env  map[string]string
		want string // below root, empty: refused
	}{
		{"linux", map[string]string{"HOME": root + "home"}, "home/.local/share/uid"},
		{"linux", map[string]string{"HOME": root + "home", "XDG_DATA_HOME": root + "data"}, "data/uid"},
		{"linux", map[string]string{"HOME": root + "home", "XDG_DATA_HOME": "data"}, "home/.local/share/uid"},
		{"linux", map[string]string{"LocalAppData": root + "x"}, ""},
		{"darwin", map[string]string{"HOME": root + "home"}, "home/Library/Application Support/uid"},
		{"windows", map[string]string{"LocalAppData": root + "local", "HOME": root + "x"}, "local/uid"},
		{"windows", map[string]string{"HOME": root + "x"}, ""},
	} {
		if runtime.GOOS == "windows" && tt.env["XDG_DATA_HOME"] != "" {
			continue // there a path is absolute with a drive only
		}
		got, err := dataFolder(func(key string) string { return tt.env[key] }, tt.goos)
		if tt.want == "" {
			require.ErrorContains(t, err, "use --store FILE")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, root+filepath.FromSlash(tt.want), got)
	}
}

// Who has used up the worker IDs of a store that leases them is told when they come back.
func TestFullLayout(t *testing.T) {
	var w Worker
	leased := &Opened{}
	err := w.Explain(leased, fmt.Errorf("x: %w", uid.ErrNoWorkerID))
	require.ErrorContains(t, err, "no worker ID left; IDs come back five minutes after")
	require.Equal(t, io.EOF, w.Explain(leased, io.EOF))
}

// A store is named without the account and the password that its DSN has.
func TestStoreTellsNoSecret(t *testing.T) {
	require.Equal(t, "a MySQL or MariaDB server", Choice{dsn: "me:hunter2@tcp(db:3306)/shop"}.String())
}
