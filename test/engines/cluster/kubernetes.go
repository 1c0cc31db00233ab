package cluster

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// Kubernetes is API servers over one etcd of one node. Each can be killed, paused and started again, and so can etcd.
// Nothing else of a cluster runs: no controllers, and no nodes.
type Kubernetes struct {
	Servers Nodes  // the API servers
	Etcd    *Etcd  // below them
	CA      []byte // of all servers' certificates, as PEM
	Token   string // of an administrator
}

// StartKubernetes starts so many API servers, which take four seconds each, over an etcd with more arguments. The first
// call ever builds the program from its sources, which takes 7 to 16 minutes of processor time, and keeps it in the
// cache.
func StartKubernetes(name string, servers int, args ...string) (*Kubernetes, error) {
	path, err := apiServer()
	if err != nil {
		return nil, err
	}
	k := &Kubernetes{Token: rand.Text()}
	if k.Etcd, err = StartEtcd(name+"-etcd", 1, args...); err != nil {
		return nil, err
	}
	if k.Servers, err = newNodes(name+"-", servers, 1); err != nil {
		return orClosed(k, err)
	}
	first := k.Servers[0]
	if err := k.writeKeys(first); err != nil {
		return orClosed(k, first.failed(err))
	}
	for _, s := range k.Servers {
		err := s.Start(Program{
			Path: path,
			Args: []string{
				"--etcd-servers=http://" + k.Etcd.Nodes[0].Addr(0),
				"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port=" + fmt.Sprint(s.Port(0)),
				"--cert-dir=" + first.Path("certs"), // which the first server fills
				"--endpoint-reconciler-type=none", "--service-cluster-ip-range=10.0.0.0/24",
				"--authorization-mode=RBAC", "--token-auth-file=" + first.Path("tokens.csv"),
				"--service-account-issuer=https://kubernetes.default.svc",
				"--service-account-key-file=" + first.Path("key.pem"),
				"--service-account-signing-key-file=" + first.Path("key.pem"),
			},
			Ready: func(ctx context.Context) error {
				ca, err := os.ReadFile(first.Path("certs", "apiserver.crt"))
				if err == nil {
					_, err = ask(ctx, ca, k.Token, http.MethodGet, "https://"+s.Addr(0)+"/readyz", nil)
				}
				return err
			},
		})
		if err == nil && s == first {
			k.CA, err = os.ReadFile(first.Path("certs", "apiserver.crt"))
		}
		if err != nil {
			return orClosed(k, err)
		}
	}
	return k, nil
}

// writeKeys writes what signs service accounts' tokens, and the administrator's token.
func (k *Kubernetes) writeKeys(s *Server) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
	return errors.Join(os.WriteFile(s.Path("key.pem"), text, 0o600),
		os.WriteFile(s.Path("tokens.csv"), []byte(k.Token+`,admin,admin,"system:masters"`+"\n"), 0o600))
}

// apiServer returns the path of kube-apiserver, which it builds the first time.
func apiServer() (path string, err error) {
	list := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/uidgen/uid/test/engines")
	out, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("cluster: no sources of kube-apiserver: %w", err)
	}
	sources := filepath.Join(strings.TrimSpace(string(out)), "kube-apiserver")
	modules, err := os.ReadFile(filepath.Join(sources, "go.mod"))
	if err != nil {
		return "", fmt.Errorf("cluster: no sources of kube-apiserver: %w", err)
	}
	version := regexp.MustCompile(`k8s.io/kubernetes (v\S+)`).FindSubmatch(modules)
	if version == nil {
		return "", errors.New("cluster: kube-apiserver/go.mod says no version of k8s.io/kubernetes")
	}
	dir, err := kept(fmt.Sprintf("kube-apiserver-%s", version[1]), func(dir string) error {
		fmt.Fprintln(os.Stderr, "cluster: building kube-apiserver; this takes 7 to 16 minutes of processor time, once")
		return run(os.Stderr, "GOWORK=off", "go", "build", "-C", sources, "-trimpath", "-o", dir+"/",
			"-ldflags=-X k8s.io/component-base/version.gitVersion="+string(version[1]), ".")
	})
	if err != nil {
		return "", fmt.Errorf("cluster: no kube-apiserver: %w", err)
	}
	return filepath.Join(dir, "kube-apiserver"), nil
}

// URL returns the address of an API server, by its number.
func (k *Kubernetes) URL(i int) string { return "https://" + k.Servers[i].Addr(0) }

// Backup saves a snapshot of etcd. The function that it returns restores that, here or under other API servers, as
// operators do: none runs meanwhile.
func (k *Kubernetes) Backup() (restore func(to *Kubernetes) error, err error) {
	back, err := BackupEtcd(k.Etcd)
	return func(to *Kubernetes) error {
		for _, s := range to.Servers {
			s.Kill()
		}
		if err := back(to.Etcd, "restored"); err != nil {
			return err
		}
		return to.restart()
	}, err
}

// Compact forgets what was in etcd before now, and starts the API servers anew, which would remember some of it.
func (k *Kubernetes) Compact(ctx context.Context) error {
	said, err := k.admin(ctx, http.MethodGet, "/apis/coordination.k8s.io/v1/leases?limit=1", nil)
	if err != nil {
		return err
	}
	var list struct {
		Metadata struct{ ResourceVersion string }
	}
	if err := json.Unmarshal(said, &list); err != nil {
		return err
	}
	_, err = ask(ctx, nil, "", http.MethodPost, "http://"+k.Etcd.Nodes[0].Addr(0)+"/v3/kv/compaction",
		object{"revision": list.Metadata.ResourceVersion})
	if err != nil {
		return err
	}
	for _, s := range k.Servers {
		s.Kill()
	}
	return k.restart()
}

func (k *Kubernetes) restart() error {
	var all []error
	for _, s := range k.Servers {
		all = append(all, s.Restart())
	}
	return errors.Join(all...)
}

// Version returns the first API server's version.
func (k *Kubernetes) Version() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	said, err := k.admin(ctx, http.MethodGet, "/version", nil)
	if err != nil {
		return "", err
	}
	var v struct{ GitVersion string }
	err = json.Unmarshal(said, &v)
	return v.GitVersion, err
}

// Close kills all servers and removes their folders.
func (k *Kubernetes) Close() {
	k.Servers.Close()
	k.Etcd.Close()
}

// Ask makes a request with a token, to an API server by its number, with an object as JSON if that is not nil. It
// returns what is answered; an answer that says no is an error.
func (k *Kubernetes) Ask(ctx context.Context, i int, token, method, path string, object any) ([]byte, error) {
	return ask(ctx, k.CA, token, method, k.URL(i)+path, object)
}

// admin asks the first API server as the administrator.
func (k *Kubernetes) admin(ctx context.Context, method, path string, object any) ([]byte, error) {
	return k.Ask(ctx, 0, k.Token, method, path, object)
}

func ask(ctx context.Context, ca []byte, token, method, url string, object any) ([]byte, error) {
	body, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	r.Header.Set("Content-Type", "application/json")
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	client := http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true,
	}}
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= 300 {
		err = fmt.Errorf("cluster: %s %s: %s: %s", method, r.URL.Path, answer.Status, text)
	}
	return text, err
}

type object = map[string]any

// NewNamespace makes a namespace of Kubernetes, and returns its name.
func (k *Kubernetes) NewNamespace(ctx context.Context) (name string, err error) {
	name = "test-" + strings.ToLower(rand.Text()[:8])
	_, err = k.admin(ctx, http.MethodPost, "/api/v1/namespaces", object{"metadata": object{"name": name}})
	return name, err
}

// A Tenant is a namespace of Kubernetes, with files: the token of an account that may use its Leases as the store needs
// it, and the authority of the servers.
type Tenant struct{ Namespace, Token, CA string }

// NewTenant makes one, whose token lasts an hour, in a namespace that is there or, with "", a new one.
func (k *Kubernetes) NewTenant(ctx context.Context, namespace string) (n Tenant, err error) {
	if n.Namespace = namespace; namespace == "" {
		if n.Namespace, err = k.NewNamespace(ctx); err != nil {
			return n, err
		}
	}
	token, err := k.NewAccount(ctx, n.Namespace, "get", "list", "create", "update")
	n.CA, n.Token = k.Servers[0].Path("certs", "apiserver.crt"), k.Servers[0].Path(n.Namespace)
	return n, errors.Join(err, os.WriteFile(n.Token, []byte(token), 0o600))
}

// URL is that of the tenant's store at an address.
func (n Tenant) URL(addr string) string {
	return "kubernetes://" + addr + "/" + n.Namespace + "?ca=" + n.CA + "&token-file=" + n.Token
}

// NewAccount makes a service account that may do so much with Leases of a namespace, as in "get", "list". It returns a
// token of the account, which lasts an hour, once each server lets it do so.
func (k *Kubernetes) NewAccount(ctx context.Context, namespace string, verbs ...string) (token string, err error) {
	const rbac = "rbac.authorization.k8s.io"
	accounts, roles := "/api/v1/namespaces/"+namespace+"/serviceaccounts", "/apis/"+rbac+"/v1/namespaces/"+namespace
	name := "uid-" + strings.ToLower(rand.Text()[:8])
	named := object{"name": name}
	var said []byte
	for _, make := range []struct {
		path   string
		object object
	}{
		{accounts, object{"metadata": named}},
		{roles + "/roles", object{"metadata": named, "rules": []object{{
			"apiGroups": []string{"coordination.k8s.io"}, "resources": []string{"leases"}, "verbs": verbs,
		}}}},
		{roles + "/rolebindings", object{
			"metadata": named, "roleRef": object{"apiGroup": rbac, "kind": "Role", "name": name},
			"subjects": []object{{"kind": "ServiceAccount", "name": name, "namespace": namespace}},
		}},
		{accounts + "/" + name + "/token", object{"spec": object{"expirationSeconds": 3600}}},
	} {
		if said, err = k.admin(ctx, http.MethodPost, make.path, make.object); err != nil {
			return "", err
		}
	}
	var made struct{ Status struct{ Token string } }
	if err := json.Unmarshal(said, &made); err != nil {
		return "", err
	}
	token = made.Status.Token
	for i := range k.Servers {
		for _, verb := range verbs {
			if err := await(func() error { return k.allows(ctx, i, token, namespace, verb) }); err != nil {
				return "", err
			}
		}
	}
	return token, nil
}

// allows returns nil if a server knows already that a token allows something.
func (k *Kubernetes) allows(ctx context.Context, i int, token, namespace, verb string) error {
	said, err := k.Ask(ctx, i, token, http.MethodPost, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
		object{"spec": object{"resourceAttributes": object{
			"namespace": namespace, "verb": verb, "group": "coordination.k8s.io", "resource": "leases",
		}}})
	if err == nil && !bytes.Contains(said, []byte(`"allowed":true`)) {
		err = fmt.Errorf("cluster: the account may not %s yet: %s", verb, said)
	}
	return err
}
