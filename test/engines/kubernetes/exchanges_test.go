// Package kubernetes_test runs package stores/kubernetes on real API servers.
package kubernetes_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines/cluster"
)

func TestMain(m *testing.M) { cluster.Main(m) }

// shared is an API server that tests leave as it is. What was in etcd at first is no longer known.
var shared = cluster.Share(func() (*cluster.Kubernetes, error) {
	k, err := cluster.StartKubernetes("kubernetes", 1)
	if err == nil {
		err = k.Compact(context.Background())
	}
	return k, err
})

// The fake's tests of exchanges, with a real server.
func TestFake(t *testing.T) {
	k := shared(t)
	namespace := must(k.NewNamespace(t.Context()))
	server := must(json.Marshal(map[string]any{
		"URL": k.URL(0), "CA": string(k.CA), "Namespace": namespace, "Tokens": map[string]string{
			"all":    must(k.NewAccount(t.Context(), namespace, "get", "list", "create", "update")),
			"get":    must(k.NewAccount(t.Context(), namespace, "get")),
			"delete": must(k.NewAccount(t.Context(), namespace, "delete")),
		},
	}))
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count", "1", "-run", "^Test(Exchanges|Object|List)$",
		"github.com/uidgen/uid/stores/kubernetes/internal/fake")
	cmd.Env = append(os.Environ(), "UID_TEST_KUBERNETES="+string(server))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// must is for the test's own goroutine.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}
