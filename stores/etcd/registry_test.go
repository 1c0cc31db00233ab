package etcd_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/stores/etcd"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/doctor"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

func newStore(t *testing.T, s *server) *etcd.Store {
	t.Helper()
	store, err := etcd.New(s.client(t, nil), etcd.Config{})
	require.NoError(t, err)
	return store
}

// Namespaces are listed by their names, whatever these have, without reading values.
func TestNamespaces(t *testing.T) {
	s := newServer(t)
	store := newStore(t, s)
	_, now, err := store.Namespaces(t.Context())
	require.ErrorIs(t, err, worker.ErrNoNamespace)
	require.WithinDuration(t, time.Now(), now.Now, time.Minute)
	all := []string{"..", "a", "a b", "a%2Fb", "a/", "a/b", "a/namespace", "a.b", "orders", "Z"}
	for _, name := range all {
		l, err := store.Namespace(name)
		require.NoError(t, err)
		require.Contains(t, l.Name(), name)
		require.NoError(t, l.Init(t.Context(), func(n *lease.Namespace, _ lease.Clock) error {
			require.True(t, n.Fresh && !n.Used, name)
			return nil
		}))
		require.NoError(t, l.Take(t.Context(), wanted(0, 0), func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error { r.Holder = name; return nil }))
	}
	s.set("uid/leases/left/worker/0000000000000000005", "{}")
	s.set("uid/leases/%zz/else", "x")
	s.set("uid/else", "x")
	s.set("uie", "x")
	all = append(all, "left")
	slices.Sort(all)
	names, _, err := store.Namespaces(t.Context())
	require.NoError(t, err)
	require.Equal(t, all, names)
	for _, name := range all {
		if name == "left" {
			continue
		}
		p, err := store.Rows(t.Context(), name, -1, 10)
		require.NoError(t, err)
		require.Len(t, p.Rows, 1)
		require.Equal(t, name, p.Rows[0].Holder)
	}
	p, err := store.Rows(t.Context(), "nothing", -1, 10)
	require.NoError(t, err)
	require.True(t, p.Namespace.Fresh)
	require.Empty(t, p.Rows)
}

func TestRows(t *testing.T) {
	s := newServer(t)
	made(t, s)
	s.fill(lease.Range{First: 0, Last: 24}, held)
	store := newStore(t, s)
	var ids []int64
	for above := int64(-1); ; {
		p, err := store.Rows(t.Context(), "orders", above, 10)
		require.NoError(t, err)
		require.Equal(t, "made", p.Namespace.Layout)
		require.LessOrEqual(t, len(p.Rows), 10)
		for _, r := range p.Rows {
			above = r.WorkerID
			ids = append(ids, above)
		}
		if len(p.Rows) < 10 {
			break
		}
	}
	require.Len(t, ids, 25)
	require.True(t, slices.IsSorted(ids))
}

// Old rows go, and leave their last tick.
func TestPrune(t *testing.T) {
	all := func(p registry.Page) (ids []int64, err error) {
		for _, r := range p.Rows {
			ids = append(ids, r.WorkerID)
		}
		return ids, nil
	}
	floor := func(t *testing.T, s *server) int64 {
		p, err := newStore(t, s).Rows(t.Context(), "orders", -1, 1)
		require.NoError(t, err)
		return p.Namespace.Floor
	}
	begin := func(t *testing.T) (*server, *etcd.Store) {
		s := newServer(t)
		made(t, s)
		s.fill(lease.Range{First: 0, Last: 999}, func(id int64) time.Duration {
			return map[bool]time.Duration{true: time.Hour, false: -time.Hour}[id%2 == 0]
		})
		return s, newStore(t, s)
	}
	t.Run("many", func(t *testing.T) {
		s, store := begin(t)
		require.EqualValues(t, -1, floor(t, s))
		removed, err := store.Prune(t.Context(), "orders", 100, 250, time.Minute, func(p registry.Page) ([]int64, error) {
			require.Len(t, p.Rows, 250)
			require.EqualValues(t, 102, p.Rows[0].WorkerID)
			ids, _ := all(p)
			return append(ids, 101, 99999), nil
		})
		require.NoError(t, err)
		require.Len(t, removed, 250)
		require.EqualValues(t, 7, floor(t, s))
		require.Empty(t, s.value(workerKey(600)))
		require.NotEmpty(t, s.value(workerKey(101)), "not old")
		require.NotEmpty(t, s.value(workerKey(602)), "not of the page")
		removed, err = store.Prune(t.Context(), "orders", -1, 1000, time.Hour+time.Minute, all)
		require.NoError(t, err)
		require.Empty(t, removed, "not old enough")
	})
	t.Run("refused", func(t *testing.T) {
		s, store := begin(t)
		no := errors.New("no")
		_, err := store.Prune(t.Context(), "orders", -1, 10, time.Minute, func(registry.Page) ([]int64, error) { return []int64{0}, no })
		require.ErrorIs(t, err, no)
		require.NotEmpty(t, s.value(workerKey(0)))
		require.EqualValues(t, -1, floor(t, s))
	})
	t.Run("a row has changed", func(t *testing.T) {
		s, store := begin(t)
		s.between = func() { s.fill(lease.Range{First: 0, Last: 0}, held) }
		removed, err := store.Prune(t.Context(), "orders", -1, 3, time.Minute, all)
		require.NoError(t, err)
		require.Equal(t, []int64{2, 4}, removed)
		require.NotEmpty(t, s.value(workerKey(0)))
	})
	t.Run("the namespace has changed", func(t *testing.T) {
		s, store := begin(t)
		s.between = func() { taken(t, orders(t, s, etcd.Config{}), wanted(0, 0), time.Hour); made2(t, s) }
		runs := 0
		removed, err := store.Prune(t.Context(), "orders", -1, 3, time.Minute, func(p registry.Page) ([]int64, error) { runs++; return all(p) })
		require.NoError(t, err)
		require.Equal(t, 2, runs)
		require.Equal(t, []int64{2, 4, 6}, removed)
	})
	t.Run("no namespace", func(t *testing.T) {
		s, store := begin(t)
		s.set(namespaceKey, "")
		removed, err := store.Prune(t.Context(), "orders", -1, 3, time.Minute, all)
		require.NoError(t, err)
		require.Empty(t, removed)
	})
	t.Run("a Take that has read the former floor", func(t *testing.T) {
		s, store := begin(t)
		l := orders(t, s, etcd.Config{})
		s.between = func() {
			_, err := store.Prune(t.Context(), "orders", -1, 3, time.Minute, all)
			require.NoError(t, err)
		}
		runs := 0
		err := l.Take(t.Context(), wanted(5000, 5000), func(n *lease.Namespace, _ *lease.Row, _ lease.Clock) error {
			runs++
			require.EqualValues(t, map[int]int64{1: -1, 2: 7}[runs], n.Floor)
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, 2, runs)
	})
	t.Run("another cluster", func(t *testing.T) {
		s, store := begin(t)
		s.backup()(0xbad)
		_, err := store.Prune(t.Context(), "orders", -1, 3, time.Minute, all)
		require.ErrorIs(t, err, uid.ErrConfig)
	})
}

// made2 changes the namespace.
func made2(t *testing.T, s *server) {
	require.NoError(t, orders(t, s, etcd.Config{}).Init(t.Context(), func(n *lease.Namespace, now lease.Clock) error { n.Renewed = now.Now; return nil }))
}

func TestExamine(t *testing.T) {
	levels := func(t *testing.T, s *server) map[string]doctor.Level {
		findings, err := newStore(t, s).Examine(t.Context(), doctor.Config{})
		require.NoError(t, err)
		found := map[string]doctor.Level{}
		for _, f := range findings {
			found[f.What] = f.Level
			if f.Level == doctor.LevelOK {
				require.Empty(t, f.Why+f.Do, f)
			} else {
				require.NotEmpty(t, f.Why, f)
				require.NotEmpty(t, f.Do, f)
			}
		}
		return found
	}
	fine := map[string]doctor.Level{
		"etcd members": "ok", "etcd endpoints": "ok", "etcd versions": "ok", "etcd database": "ok", "etcd alarms": "ok", "etcd history": "ok", "etcd rights": "ok",
		"etcd disks": "note",
	}
	for name, c := range map[string]struct {
		spoil func(*server)
		what  string
		level doctor.Level
	}{
		"one member":         {func(s *server) { s.members = s.members[:1] }, "etcd members", "warn"},
		"two and a learner":  {func(s *server) { s.members[0] = &pb.Member{ID: 1, IsLearner: true} }, "etcd members", "warn"},
		"no leader":          {func(s *server) { s.status.Leader = 0 }, "etcd endpoints", "warn"},
		"a known fault":      {func(s *server) { s.status.Version = "3.5.5" }, "etcd versions", "error"},
		"a full database":    {func(s *server) { s.status.DbSize, s.status.DbSizeInUse = 2<<30, 3<<29 }, "etcd database", "warn"},
		"a database of air":  {func(s *server) { s.status.DbSize = 3 << 29 }, "etcd database", "warn"},
		"a small quota":      {func(s *server) { s.status.DbSize, s.status.DbSizeQuota = 300<<20, 500<<20 }, "etcd database", "warn"},
		"an alarm":           {func(s *server) { s.alarms = []*pb.AlarmMember{{MemberID: 1, Alarm: pb.AlarmType_NOSPACE}} }, "etcd alarms", "error"},
		"much history":       {func(s *server) { s.revision, s.compacted = 50_000_000, 5 }, "etcd history", "warn"},
		"never compacted":    {func(s *server) { s.compacted = 0 }, "etcd history", "note"},
		"another cluster":    {func(s *server) { s.cluster++ }, "etcd namespaces", "error"},
		"no key of its own":  {func(s *server) { s.set(namespaceKey, "") }, "etcd namespaces", "warn"},
		"no top":             {func(s *server) { s.set(topKey, "") }, "etcd namespaces", "error"},
		"unreadable":         {func(s *server) { s.set(namespaceKey, "{}") }, "etcd namespaces", "error"},
		"nothing but itself": {func(*server) {}, "etcd namespaces", "ok"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			made(t, s)
			s.mu.Lock()
			s.revision += 5000
			s.compacted = s.revision - 4000
			s.mu.Unlock()
			want := map[string]doctor.Level{"etcd namespaces": "ok"}
			for what, level := range fine {
				want[what] = level
			}
			require.Equal(t, want, levels(t, s))
			c.spoil(s)
			want[c.what] = c.level
			require.Equal(t, want, levels(t, s))
		})
	}
}

func TestInspect(t *testing.T) {
	for version, lossy := range map[string]bool{
		"3.3.27": true, "3.4.21": true, "3.4.22": false, "3.4.23": false, "3.5.0": true, "3.5.5": true, "3.5.6": false, "3.5.21": false, "3.6.0": false, "4.0.0": false, "": false,
	} {
		s := newServer(t)
		s.status.Version = version
		found, err := orders(t, s, etcd.Config{}).Inspect(t.Context())
		require.NoError(t, err)
		require.Equal(t, lossy, len(found) > 0, version)
	}
}
