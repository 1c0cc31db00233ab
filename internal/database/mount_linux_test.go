package database

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestListsMount(t *testing.T) {
	const list = `22 28 0:21 / /proc rw,nosuid - proc proc rw
28 1 254:0 / / rw,relatime - ext4 /dev/vda rw
61 28 254:0 /srv/uid.db /data/uid.db rw,relatime shared:1 - ext4 /dev/vda rw
62 28 254:0 /srv/b /data/a\040b\134c\011d\012e\043 rw - ext4 /dev/vda rw
short line
`
	for path, want := range map[string]bool{
		"/": true, "/proc": true, "/data/uid.db": true, "/data/a b\\c\td\ne#": true,
		"/srv/uid.db": false, "/data": false, "/data/uid.db-journal": false, "": false, "rw": false,
	} {
		require.Equal(t, want, listsMount(strings.NewReader(list), path), path)
	}
}

// The list of mounts and the kernel's answer for one path agree.
func TestIsMountPoint(t *testing.T) {
	for _, path := range []string{"/proc/self/mountinfo", t.TempDir()} {
		require.False(t, isMountPoint(path), path)
		require.False(t, isListedMount(path), path)
	}
	mounts, _ := os.ReadFile("/proc/self/mountinfo") // none without /proc
	for _, path := range []string{"/", "/proc", "/proc/../proc"} {
		t.Run(path, func(t *testing.T) {
			if !regexp.MustCompile(`(?m)^(\S+ ){4}` + filepath.Clean(path) + " ").Match(mounts) {
				t.Skip("nothing is mounted at this path, as in a plain chroot")
			}
			require.True(t, isMountPoint(path))
			require.True(t, isListedMount(path))
		})
	}
}
