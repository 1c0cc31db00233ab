package worker

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

// refused requires an error that can be told apart and is short, and reports whether there
// is one.
func refused(t *testing.T, err error) bool {
	if err != nil {
		require.True(t, errors.Is(err, uid.ErrConfig) || errors.Is(err, uid.ErrRange), err)
		require.Less(t, len(err.Error()), 2000)
	}
	return err != nil
}

// FuzzNames reads what becomes part of a statement, and of a row.
func FuzzNames(f *testing.F) {
	f.Add("WORKER_NODE", "mysql", "sqlite")
	f.Add("a`; DROP TABLE x", "", "postgres")
	f.Add(strings.Repeat("T", 65), "oracle", "")
	f.Fuzz(func(t *testing.T, table, dialect, driver string) {
		name, err := tableName(table, workerNode)
		if !refused(t, err) {
			require.True(t, name == table || table == "" && name == workerNode)
			require.LessOrEqual(t, len(name), 64)
			require.NotContains(t, name, "`")
		}
		d, err := Dialect(dialect).resolve(driver)
		if !refused(t, err) {
			require.True(t, d == MySQL || d == SQLite)
			if name != "" {
				statement, err := schema(workerNode, name, d)
				require.NoError(t, err)
				require.Contains(t, statement, "`"+name+"`")
			}
		}
	})
}

// FuzzSources reads IDs from texts that others have set.
func FuzzSources(f *testing.F) {
	f.Add("web-12.shop.svc.cluster.local", int64(1<<22-1))
	f.Add("12", int64(11))
	f.Add("-99999999999999999999", int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, text string, most int64) {
		id, err := OrdinalID(text)(most)
		require.True(t, refused(t, err) || 0 <= id && id <= most)
		id, err = parseID("the text", text, most)
		require.True(t, refused(t, err) || 0 <= id && id <= most)
	})
}

// FuzzFileConfig makes workers with any settings, of which no file is opened yet.
func FuzzFileConfig(f *testing.F) {
	f.Add("w.state", int64(0), int64(0), "", int64(3))
	f.Add("", int64(-1), int64(math.MaxInt64), "host", int64(-3))
	f.Fuzz(func(t *testing.T, path string, window, ahead int64, host string, id int64) {
		w, err := NewFile(path, FixedID(id), FileConfig{Window: time.Duration(window), MaxAhead: time.Duration(ahead), Host: host})
		if refused(t, err) {
			require.Nil(t, w)
			return
		}
		require.Positive(t, w.cfg.Window)
		require.GreaterOrEqual(t, w.cfg.MaxAhead, w.cfg.Window+w.cfg.Window/2)
	})
}
