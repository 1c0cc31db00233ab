package kubernetes_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/kubernetes"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/lease"
)

// open returns the store of an account with a token.
func open(t *testing.T, k *cluster.Kubernetes, namespace, token string) *stores.Store {
	t.Helper()
	ca, file := filepath.Join(t.TempDir(), "ca.pem"), filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(ca, k.CA, 0o600))
	require.NoError(t, os.WriteFile(file, []byte(token), 0o600))
	return must(kubernetes.New(kubernetes.Config{URL: k.URL(0), CAFile: ca, TokenFile: file, Namespace: namespace}))
}

// start makes a generator on a namespace of leases, and returns why it cannot.
func start(s *stores.Store, leases string) error {
	g, err := cached.New(must(lease.New(must(s.Leases(leases)), lease.Config{})), cached.Config{})
	if err != nil {
		return err
	}
	return g.Close()
}

// The verbs of the Role are enough, and an account that lacks one is told which.
func TestRights(t *testing.T) {
	k := shared(t)
	namespace := must(k.NewNamespace(t.Context()))
	verbs := []string{"get", "list", "create", "update"}
	all := open(t, k, namespace, must(k.NewAccount(t.Context(), namespace, verbs...)))
	require.NoError(t, start(all, "there"))
	for _, lacks := range verbs {
		others := slices.DeleteFunc(slices.Clone(verbs), func(v string) bool { return v == lacks })
		token := must(k.NewAccount(t.Context(), namespace, others...))
		s, leases := open(t, k, namespace, token), "there"
		if lacks == "create" {
			leases = "new"
		}
		err := start(s, leases)
		logtest.Error(t, err, uid.ErrConfig, "may not "+lacks+" leases.coordination.k8s.io in the namespace "+namespace)
		require.NotContains(t, err.Error(), token)
	}
}
