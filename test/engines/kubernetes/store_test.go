package kubernetes_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/drivertest"
	"github.com/uidgen/uid/stores/kubernetes"
	"github.com/uidgen/uid/test/engines/cluster"
)

// A tenant is a Kubernetes namespace with an account that may use its Leases.
type tenant struct {
	*cluster.Kubernetes
	namespace, token, ca string // and files with the account's token, and the authority
}

func newTenant(t testing.TB, k *cluster.Kubernetes) tenant {
	dir := t.TempDir()
	out := tenant{k, must(k.NewNamespace(t.Context())), filepath.Join(dir, "token"), filepath.Join(dir, "ca.pem")}
	token := must(k.NewAccount(t.Context(), out.namespace, "get", "list", "create", "update"))
	require.NoError(t, os.WriteFile(out.token, []byte(token), 0o600))
	require.NoError(t, os.WriteFile(out.ca, k.CA, 0o600))
	return out
}

func (n tenant) config(server int) kubernetes.Config {
	return kubernetes.Config{URL: n.URL(server), CAFile: n.ca, TokenFile: n.token, Namespace: n.namespace}
}

// remove deletes the Lease of a key, as by hand.
func (n tenant) remove(t *testing.T, key string) error {
	path := "/apis/coordination.k8s.io/v1/namespaces/" + n.namespace + "/leases"
	said, err := n.Ask(t.Context(), 0, n.Token, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	var list struct {
		Items []struct {
			Metadata struct {
				Name        string
				Annotations map[string]string
			}
		}
	}
	if err := json.Unmarshal(said, &list); err != nil {
		return err
	}
	for _, o := range list.Items {
		if o.Metadata.Annotations["uidgen/key"] == key {
			_, err := n.Ask(t.Context(), 0, n.Token, http.MethodDelete, path+"/"+o.Metadata.Name, nil)
			return err
		}
	}
	return nil
}

// The driver, and all over it, is as package stores wants it on a real API server, with an account of few rights.
func TestStore(t *testing.T) {
	k := shared(t)
	drivertest.Run(t, drivertest.Config{Histories: 12}, func(t *testing.T) drivertest.Subject {
		n := newTenant(t, k)
		return drivertest.Subject{
			Open: func() (stores.Driver, error) {
				store, err := kubernetes.New(n.config(0))
				if err != nil {
					return nil, err
				}
				return store.Driver(), nil
			},
			Remove: func(key string) error { return n.remove(t, key) },
			Secret: string(must(os.ReadFile(n.token))),
		}
	})
}
