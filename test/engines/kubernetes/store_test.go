package kubernetes_test

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"

	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/drivertest"
	"github.com/uidgen/uid/stores/kubernetes"
	"github.com/uidgen/uid/test/engines/cluster"
)

// A tenant is one of a cluster.
type tenant struct {
	k *cluster.Kubernetes
	cluster.Tenant
}

func newTenant(t testing.TB, k *cluster.Kubernetes) tenant {
	return tenant{k, must(k.NewTenant(t.Context(), ""))}
}

func (n tenant) config(server int) kubernetes.Config {
	return kubernetes.Config{URL: n.k.URL(server), CAFile: n.CA, TokenFile: n.Token, Namespace: n.Namespace}
}

// remove deletes the Lease of a key, as by hand.
func (n tenant) remove(t *testing.T, key string) error {
	path := "/apis/coordination.k8s.io/v1/namespaces/" + n.Namespace + "/leases"
	said, err := n.k.Ask(t.Context(), 0, n.k.Token, http.MethodGet, path, nil)
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
			_, err := n.k.Ask(t.Context(), 0, n.k.Token, http.MethodDelete, path+"/"+o.Metadata.Name, nil)
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
			Secret: string(must(os.ReadFile(n.Token))),
		}
	})
}
