package etcd_test

import (
	"crypto/tls"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/etcd"
	"github.com/uidgen/uid/worker/lease"
)

// canary is a password that turns up wherever one may stand by mistake.
const canary = "hunter2"

// authenticate turns authentication on, with a service's account that has the rights of the
// documentation, one that may only read, and one for one tag.
func authenticate(t *testing.T, admin *clientv3.Client) {
	t.Helper()
	ctx := t.Context()
	do := func(_ any, err error) { t.Helper(); require.NoError(t, err) }
	do(admin.RoleAdd(ctx, "root"))
	do(admin.UserAdd(ctx, "root", canary+"root"))
	do(admin.UserGrantRole(ctx, "root", "root"))
	read, write := clientv3.PermissionType(clientv3.PermRead), clientv3.PermissionType(clientv3.PermReadWrite)
	end := clientv3.GetPrefixRangeEnd("uid/")
	for name, right := range map[string]struct {
		from, to string
		may      clientv3.PermissionType
	}{
		"service": {"uid/", end, write}, "reader": {"uid/", end, read},
		"invoices": {"uid/segments/invoices", "", write},
	} {
		do(admin.RoleAdd(ctx, name))
		do(admin.RoleGrantPermission(ctx, name, right.from, right.to, right.may))
		do(admin.UserAdd(ctx, canary+name, canary))
		do(admin.UserGrantRole(ctx, canary+name, name))
	}
	do(admin.AuthEnable(ctx))
}

// Whatever fails, no text tells an account or a password; and the rights of the documentation
// suffice.
func TestAccess(t *testing.T) {
	c := start(t, 1)
	authenticate(t, connect(t, nil, c.Addrs()...))
	open := func(t *testing.T, change func(*clientv3.Config)) (*stores.Store, lease.Store) {
		t.Helper()
		cfg := clientv3.Config{Endpoints: c.Addrs(), Logger: zap.NewNop(), Username: canary + "service",
			Password: canary, DialTimeout: 2 * time.Second}
		change(&cfg)
		client, err := clientv3.New(cfg)
		if err != nil && cfg.Username != "" {
			// New asks for a token at once. Let it go wrong later.
			user, password := cfg.Username, cfg.Password
			cfg.Username, cfg.Password = "", ""
			client, err = clientv3.New(cfg)
			require.NoError(t, err)
			client.Username, client.Password = user, password
		}
		require.NoError(t, err)
		t.Cleanup(func() { client.Close() })
		store := must(etcd.New(client, etcd.Config{RequestTimeout: 2 * time.Second}))
		return store, must(store.Leases("orders"))
	}
	round := func(t *testing.T, l lease.Store) error {
		renew := func(n *storage.Namespace, now storage.Clock) error { n.Renewed = now.Now; return nil }
		if err := l.Init(t.Context(), renew); err != nil {
			return err
		}
		var id int64
		err := l.Take(t.Context(), all, func(_ *storage.Namespace, r *storage.Lease, now storage.Clock) error {
			id, r.Until = r.WorkerID, now.Now.Add(time.Hour)
			return nil
		})
		if err != nil {
			return err
		}
		_, err = l.Inspect(t.Context())
		require.NoError(t, err)
		nothing := func(*storage.Namespace, *storage.Lease, storage.Clock) error { return nil }
		return l.Change(t.Context(), id, nothing)
	}
	t.Run("the service", func(t *testing.T) {
		store, l := open(t, func(*clientv3.Config) {})
		require.NoError(t, round(t, l))
		for _, f := range must(doctor.Check(t.Context(), store.Registry(), doctor.Config{})) {
			t.Log(f)
			require.NotContains(t, f.Value+f.Why+f.Do, canary)
			require.NotEqual(t, doctor.LevelError, f.Level, f)
		}
	})
	t.Run("a reader", func(t *testing.T) {
		store, l := open(t, func(c *clientv3.Config) { c.Username = canary + "reader" })
		err := round(t, l)
		require.ErrorContains(t, err, "permission denied")
		require.False(t, retry.IsTransient(err))
		require.NotContains(t, logtest.Texts(err), canary)
		rows := must(store.Registry().Rows(t.Context(), "orders", -1, 10)).Rows
		require.Len(t, rows, 10, "as many as were asked for")
		findings := must(store.Registry().(doctor.Examiner).Examine(t.Context(), doctor.Config{}))
		require.True(t, slices.ContainsFunc(findings, func(f doctor.Finding) bool {
			return f.What == "etcd rights" && f.Level == doctor.LevelNote
		}), findings)
	})
	for name, change := range map[string]func(*clientv3.Config){
		"no user":   func(c *clientv3.Config) { c.Username, c.Password = "", "" },
		"password":  func(c *clientv3.Config) { c.Password = canary + "x" },
		"user":      func(c *clientv3.Config) { c.Username = canary },
		"host":      func(c *clientv3.Config) { c.Endpoints = []string{canary + ".invalid:2379"} },
		"refused":   func(c *clientv3.Config) { c.Endpoints = []string{"127.0.0.1:1"} },
		"socket":    func(c *clientv3.Config) { c.Endpoints = []string{"unix:///" + canary} },
		"wants TLS": func(c *clientv3.Config) { c.TLS = &tls.Config{ServerName: canary} },
		"everything": func(c *clientv3.Config) {
			c.Username, c.Password, c.Endpoints = canary, canary, []string{canary}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, l := open(t, change)
			_, _, listed := store.Registry().Namespaces(t.Context())
			_, inspected := l.Inspect(t.Context())
			_, examined := store.Registry().(doctor.Examiner).Examine(t.Context(), doctor.Config{})
			for _, err := range []error{round(t, l), listed} {
				require.Error(t, err)
				require.NotContains(t, logtest.Texts(err), canary)
			}
			require.NotContains(t, logtest.Texts(inspected)+logtest.Texts(examined), canary)
		})
	}
}
