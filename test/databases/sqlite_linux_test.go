package databases_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/harness"
)

func init() { jobs["mount"] = mountIt }

// mountIt mounts the file at another path, and says what comes of using it.
func mountIt(j job) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	if err := syscall.Mount(j.Store.Source, j.To, "", syscall.MS_BIND, ""); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	for _, path := range []string{j.To, j.Store.Source} {
		if err := tryAll(job{Store: store{Driver: "sqlite", Source: path}}); err != nil {
			return err
		}
	}
	return nil
}

// A file that is mounted by itself is refused by the path at which it is mounted.
func TestSQLiteFileIsMounted(t *testing.T) {
	t.Parallel()
	eachJournal(t, func(t *testing.T, s store, mode string) {
		tenantOf(t, s.Open(t))
		to := s.Source + ".mounted"
		require.NoError(t, os.WriteFile(to, nil, 0o600))
		run := func(flags uintptr) (string, error) {
			cmd := harness.Command(job{Do: "mount", Store: s, To: to})
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
			if flags&syscall.CLONE_NEWUSER != 0 {
				cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
				cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
			}
			out, err := cmd.Output()
			return string(out), err
		}
		// The mount is of the process alone, and ends with it.
		out, err := run(syscall.CLONE_NEWNS)
		if err != nil {
			out, err = run(syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER)
		}
		if err != nil && os.Getuid() != 0 {
			t.Skipf("not shown: only root may mount here: %v %s", err, out)
		}
		if err != nil && !strings.Contains(string(must(os.ReadFile("/proc/self/mountinfo"))), " / / ") {
			t.Skipf("not shown: nothing is mounted at /, as in a plain chroot, "+
				"so its mounts cannot be made private: %v %s", err, out)
		}
		require.NoError(t, err, "a process of root's that may not mount: %s", out)
		want := strings.Repeat("unusable: it is mounted by itself\n", 3)
		require.Equal(t, want+"unusable: it is mounted by itself\n<nil>\n<nil>\n<nil>\nfound by its name\n", out)
	})
}
