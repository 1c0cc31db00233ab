package etcd_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/stores/etcd"
	"github.com/uidgen/uid/stores/internal/orders"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

func TestExamine(t *testing.T) {
	levels := func(t *testing.T, s *server) map[string]doctor.Level {
		found := map[string]doctor.Level{}
		for _, f := range orders.Findings(t, s.store(t, etcd.Config{})) {
			found[f.What] = f.Level
		}
		return found
	}
	for name, c := range map[string]struct {
		spoil func(*server)
		what  string
		level doctor.Level
	}{
		"one member": {func(s *server) { s.members = s.members[:1] }, "etcd members", "warn"},
		"two and a learner": {func(s *server) { s.members[0] = &pb.Member{ID: 1, IsLearner: true} }, "etcd members",
			"warn"},
		"no leader":     {func(s *server) { s.status.Leader = 0 }, "etcd endpoints", "warn"},
		"a known fault": {func(s *server) { s.status.Version = "3.5.5" }, "etcd versions", "error"},
		"a full database": {func(s *server) { s.status.DbSize, s.status.DbSizeInUse = 2<<30, 3<<29 },
			"etcd database", "warn"},
		"a database of air": {func(s *server) { s.status.DbSize = 3 << 29 }, "etcd database", "warn"},
		"a small quota": {func(s *server) { s.status.DbSize, s.status.DbSizeQuota = 300<<20, 500<<20 },
			"etcd database", "warn"},
		"an alarm": {func(s *server) {
			s.alarms = []*pb.AlarmMember{{MemberID: 1, Alarm: pb.AlarmType_NOSPACE}}
		}, "etcd alarms", "error"},
		"much history":    {func(s *server) { s.revision, s.compacted = 50_000_000, 5 }, "etcd history", "warn"},
		"never compacted": {func(s *server) { s.compacted = 0 }, "etcd history", "note"},
		"another cluster": {func(s *server) { s.cluster++ }, "namespaces in the store", "error"},
		"unreadable":      {func(s *server) { s.set(namespaceKey, "{}") }, "namespaces in the store", "error"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			take(t, made(t, s), 0, 9)
			require.NoError(t, segments(t, s).Change(t.Context(), "orders", orders.Draw(1)))
			s.mu.Lock()
			s.revision += 5000
			s.compacted = s.revision - 4000
			s.mu.Unlock()
			want := map[string]doctor.Level{
				"etcd members": "ok", "etcd endpoints": "ok", "etcd versions": "ok", "etcd database": "ok",
				"etcd alarms": "ok", "etcd history": "ok", "etcd rights": "ok", "etcd disks": "note",
				"namespaces in the store": "ok", "segments in the store": "ok",
			}
			require.Equal(t, want, levels(t, s))
			c.spoil(s)
			want[c.what] = c.level
			if name == "another cluster" {
				want["segments in the store"] = "error"
			}
			require.Equal(t, want, levels(t, s))
		})
	}
}

func TestInspect(t *testing.T) {
	for version, lossy := range map[string]bool{
		"3.3.27": true, "3.4.21": true, "3.4.22": false, "3.4.23": false, "3.5.0": true, "3.5.5": true, "3.5.6": false,
		"3.5.21": false, "3.6.0": false, "4.0.0": false, "": false,
	} {
		s := newServer(t)
		s.status.Version = version
		l := orders.Leases(t, s.store(t, etcd.Config{}))
		for _, inspect := range []func(context.Context) ([]string, error){l.Inspect, segments(t, s).Inspect} {
			found, err := inspect(t.Context())
			require.NoError(t, err)
			require.Equal(t, lossy, len(found) > 0, version)
		}
	}
}
