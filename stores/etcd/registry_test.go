package etcd_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/stores/etcd"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/doctor"
	"github.com/uidgen/uid/worker/lease"

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
			require.True(t, n.Fresh && n.Given == -1, name)
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
		"another cluster":    {func(s *server) { s.cluster++ }, "namespaces in the store", "error"},
		"no key of its own":  {func(s *server) { s.set(namespaceKey, "") }, "namespaces in the store", "warn"},
		"unreadable":         {func(s *server) { s.set(namespaceKey, "{}") }, "namespaces in the store", "error"},
		"nothing but itself": {func(*server) {}, "namespaces in the store", "ok"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			taken(t, made(t, s), wanted(0, 9), time.Hour)
			s.mu.Lock()
			s.revision += 5000
			s.compacted = s.revision - 4000
			s.mu.Unlock()
			want := map[string]doctor.Level{"namespaces in the store": "ok"}
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
