package kubernetes_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines/cluster"
)

const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"

type object = map[string]any

// Two API servers over one etcd, which break and come back.
func TestServers(t *testing.T) {
	k, err := cluster.StartKubernetes("kubernetes", 2)
	cluster.For(t, k, err)
	ctx := t.Context()
	ask := func(server int, method, path string, o any) ([]byte, error) {
		return k.Ask(ctx, server, k.Token, method, path, o)
	}
	create := func(name string) error {
		_, err := ask(0, http.MethodPost, leases, object{"metadata": object{"name": name}})
		return err
	}
	get := func(server int, name string) error {
		_, err := ask(server, http.MethodGet, leases+"/"+name, nil)
		return err
	}
	require.NoError(t, create("before"))
	require.NoError(t, get(1, "before"))
	restore := must(k.Backup())
	require.NoError(t, create("after"))
	require.NoError(t, restore(k))
	for i := range k.Servers {
		require.NoError(t, get(i, "before"))
		require.ErrorContains(t, get(i, "after"), "404 Not Found")
	}

	k.Servers[0].Kill()
	require.Error(t, create("down"))
	require.NoError(t, get(1, "before"), "the other one is there")
	require.NoError(t, k.Servers[0].Restart())
	require.NoError(t, create("up"))
	k.Etcd.Nodes[0].Kill()
	require.NoError(t, k.Etcd.Nodes[0].Restart())
	require.Eventually(t, func() bool { return get(1, "up") == nil }, time.Minute, 20*time.Millisecond)

	var page struct{ Metadata struct{ Continue string } }
	require.NoError(t, json.Unmarshal(must(ask(0, http.MethodGet, leases+"?limit=1", nil)), &page))
	next := leases + "?continue=" + page.Metadata.Continue
	_, err = ask(0, http.MethodGet, next, nil)
	require.NoError(t, err)
	require.NoError(t, create("more"))
	require.NoError(t, k.Compact(ctx))
	_, err = ask(0, http.MethodGet, next, nil)
	require.ErrorContains(t, err, "410 Gone")

	namespace := must(k.NewNamespace(ctx))
	token := must(k.NewAccount(ctx, namespace, "get"))
	mine := "/apis/coordination.k8s.io/v1/namespaces/" + namespace + "/leases"
	for i := range k.Servers {
		_, err = k.Ask(ctx, i, token, http.MethodGet, mine+"/none", nil)
		require.ErrorContains(t, err, "404 Not Found")
		_, err = k.Ask(ctx, i, token, http.MethodGet, mine, nil)
		require.ErrorContains(t, err, "403 Forbidden")
		_, err = k.Ask(ctx, i, token, http.MethodGet, leases+"/before", nil)
		require.ErrorContains(t, err, "403 Forbidden")
	}
}
