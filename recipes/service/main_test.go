package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/recipes/kubernetes"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// account is where a pod has the files of its service account, and accountFiles names the folder of a test that has
// them.
const (
	account      = "/var/run/secrets/kubernetes.io/serviceaccount"
	accountFiles = "UID_TEST_ACCOUNT"
)

// serve in the environment has the program of the tests be the service.
const serve = "UID_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serve) != "" {
		main()
		return
	}
	cluster.Main(m)
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// The service as deployment.yaml runs it. It is not ready as long as its store does not answer, and
// what it drew while it was told to stop does not come again from the process that follows.
func TestDeployment(t *testing.T) {
	t.Parallel()
	server := cluster.Shared(t)
	dsn := server.DSN(server.NewDatabase(t))
	db := must(sql.Open("mysql", dsn))
	t.Cleanup(func() { db.Close() })
	store := must(sqlstore.New(db, sqlstore.Config{}))
	r := must(registry.New(store.Registry(), registry.Config{})) // uid worker init --namespace orders
	require.NoError(t, r.Init(t.Context(), "orders", lease.Founding{}))

	deployment := must(kubernetes.Read[appsv1.Deployment]("deployment.yaml", "Deployment"))
	c := deployment.Spec.Template.Spec.Containers[0]
	drawn := map[uid.UID]bool{}
	for range 3 {
		unlock := lock(t, db)
		p := startPod(t, c, func(v corev1.EnvVar) string {
			require.Equal(t, "UID_MYSQL_DSN", v.Name)
			return dsn
		})
		require.Equal(t, http.StatusOK, p.probe(t, c.LivenessProbe))
		require.Equal(t, http.StatusServiceUnavailable, p.probe(t, c.ReadinessProbe))
		unlock()
		p.drawAndEnd(t, c, drawn)
	}
	all := must(registry.Read(t.Context(), store.Registry(), 5*time.Minute))
	require.Len(t, all.Leases, 3)
	for _, l := range all.Leases {
		require.True(t, l.Released, "worker ID %d", l.WorkerID)
	}
}

// lock keeps all others from reading the table of leases, until it is told not to or the test ends.
func lock(t *testing.T, db *sql.DB) (unlock func()) {
	t.Helper()
	conn := must(db.Conn(t.Context()))
	unlock = sync.OnceFunc(func() {
		_, err := conn.ExecContext(context.Background(), "UNLOCK TABLES")
		require.NoError(t, errors.Join(err, conn.Close()))
	})
	t.Cleanup(unlock)
	_, err := conn.ExecContext(t.Context(), "LOCK TABLES WORKER_LEASE WRITE")
	require.NoError(t, err)
	return unlock
}

// The service as statefulset.yaml runs it: always under the same worker ID.
func TestStatefulSet(t *testing.T) {
	t.Parallel()
	set := must(kubernetes.Read[appsv1.StatefulSet]("statefulset.yaml", "StatefulSet"))
	c, volume := set.Spec.Template.Spec.Containers[0], t.TempDir()
	drawn := map[uid.UID]bool{}
	for range 3 {
		p := startPod(t, c, func(v corev1.EnvVar) string {
			if v.Name == "UID_STATE_FILE" {
				return filepath.Join(volume, path.Base(v.Value))
			}
			require.NotNil(t, v.ValueFrom.FieldRef)
			return "2"
		})
		p.drawAndEnd(t, c, drawn)
	}
}

// Settings that do not go together, and a store that cannot be reached, end the service with an error
// that has no password.
func TestServiceRefuses(t *testing.T) {
	t.Parallel()
	for says, env := range map[string][]string{
		"no pod of a cluster": {},
		"or none of them":     {"UID_MYSQL_DSN=user:secret@tcp(127.0.0.1:1)/shop", "UID_STATE_FILE=x"},
		"not a DSN":           {"UID_MYSQL_DSN=user:secret@tcp(127.0.0.1:1/shop"},
		"UID_DRAIN":           {"UID_DRAIN=20", "UID_MYSQL_DSN=user:secret@tcp(127.0.0.1:1)/shop"},
	} {
		var log harness.Tail
		p := must(harness.Start(harness.Program{Env: append(env, serve+"=1", "UID_LISTEN=127.0.0.1:0"), Output: &log}))
		<-p.Done()
		require.Equal(t, 1, p.State().ExitCode())
		require.Contains(t, log.String(), says)
		require.NotContains(t, log.String(), "secret")
	}
}

// The service as cluster.yaml runs it: three pods, each with a token of the account that is made as written.
func TestCluster(t *testing.T) {
	if os.Getuid() != 0 || os.Getenv("UID_TEST_ENGINES") != "kubernetes" {
		t.Skip("make engines ON=kubernetes plays it, as root, who alone may mount the files of an account")
	}
	t.Parallel()
	k, err := cluster.StartKubernetes("recipe", 1)
	cluster.For(t, k, err)
	namespace := must(k.NewNamespace(t.Context()))
	ask := func(path string, object any) []byte {
		return must(k.Ask(t.Context(), 0, k.Token, http.MethodPost, path, object))
	}
	folders := map[string]string{
		"ServiceAccount": "/api/v1", "Role": "/apis/rbac.authorization.k8s.io/v1",
		"RoleBinding": "/apis/rbac.authorization.k8s.io/v1", "Deployment": "/apis/apps/v1",
	}
	for _, document := range must(kubernetes.Documents("cluster.yaml")) {
		var object map[string]any
		require.NoError(t, yaml.Unmarshal(document, &object))
		kind := object["kind"].(string)
		ask(folders[kind]+"/namespaces/"+namespace+"/"+strings.ToLower(kind)+"s", object)
	}
	deployment := must(kubernetes.Read[appsv1.Deployment]("cluster.yaml", "Deployment"))
	accounts := "/api/v1/namespaces/" + namespace + "/serviceaccounts/" +
		deployment.Spec.Template.Spec.ServiceAccountName
	drawn, tokens := map[uid.UID]bool{}, map[string]bool{}
	var pods []*pod
	for range *deployment.Spec.Replicas {
		var made struct{ Status struct{ Token string } }
		require.NoError(t, json.Unmarshal(ask(accounts+"/token", map[string]any{}), &made))
		tokens[made.Status.Token] = true
		mounted := t.TempDir()
		for name, text := range map[string]string{
			"token": made.Status.Token, "ca.crt": string(k.CA), "namespace": namespace,
		} {
			require.NoError(t, os.WriteFile(filepath.Join(mounted, name), []byte(text), 0o600))
		}
		host, port, err := net.SplitHostPort(k.Servers[0].Addr(0))
		require.NoError(t, err)
		pods = append(pods, startPod(t, deployment.Spec.Template.Spec.Containers[0], nil,
			"KUBERNETES_SERVICE_HOST="+host, "KUBERNETES_SERVICE_PORT="+port, accountFiles+"="+mounted))
	}
	require.Len(t, tokens, 3)
	for _, p := range pods {
		p.drawAndEnd(t, deployment.Spec.Template.Spec.Containers[0], drawn)
	}
	var list struct {
		Items []struct{ Spec struct{ RenewTime string } }
	}
	require.NoError(t, json.Unmarshal(must(k.Ask(t.Context(), 0, k.Token, http.MethodGet,
		"/apis/coordination.k8s.io/v1/namespaces/"+namespace+"/leases?labelSelector=app.kubernetes.io/managed-by%3Duid",
		nil)), &list))
	leased := 0
	for _, item := range list.Items {
		if item.Spec.RenewTime != "" {
			leased++
		}
	}
	require.Equal(t, 3, leased, "each pod had an ID of its own")
}

// A pod is a process of the service.
type pod struct {
	*harness.Process
	url string
	log *harness.Tail
}

// startPod starts the service with the variables of its container, and returns when it listens. value returns
// the values of those that the cluster sets, or that name a place, and env is what each pod has besides.
func startPod(t *testing.T, c corev1.Container, value func(corev1.EnvVar) string, env ...string) *pod {
	t.Helper()
	for _, v := range c.Env {
		switch {
		case v.Name == "UID_LISTEN":
			v.Value = "127.0.0.1:0" // any free port
		case v.ValueFrom != nil || strings.HasPrefix(v.Value, "/"):
			v.Value = value(v)
		}
		env = append(env, v.Name+"="+v.Value)
	}
	log := &harness.Tail{}
	program := harness.Program{Env: append(env, serve+"=1"), Output: log}
	if strings.Contains(strings.Join(env, " "), accountFiles+"=") { // the folder is in this process's view of the files
		program.Path, program.Args = "/usr/bin/unshare", []string{"--mount", "sh", "-c",
			"mount -t tmpfs uid /run && mkdir -p " + account +
				" && mount --bind \"$" + accountFiles + "\" " + account + " && exec \"$0\"", must(os.Executable())}
	}
	p := must(harness.Start(program))
	t.Cleanup(p.Kill)
	var found []string
	require.Eventually(t, func() bool {
		found = listening.FindStringSubmatch(log.String())
		return found != nil || p.HasEnded()
	}, time.Minute, time.Millisecond)
	require.NotNil(t, found, log)
	return &pod{p, "http://" + found[1], log}
}

var listening = regexp.MustCompile(`listening on (\S+)\n`)

// probe returns the status that a probe gets.
func (p *pod) probe(t *testing.T, probe *corev1.Probe) int {
	t.Helper()
	res, err := http.Get(p.url + probe.HTTPGet.Path)
	require.NoError(t, err, p.log)
	require.NoError(t, res.Body.Close())
	return res.StatusCode
}

// drawAndEnd waits until the service is ready, places orders from several clients, and tells it to
// stop while they go on. All orders that were answered have IDs of their own.
func (p *pod) drawAndEnd(t *testing.T, c corev1.Container, drawn map[uid.UID]bool) {
	t.Helper()
	for p.probe(t, c.ReadinessProbe) != http.StatusOK {
		require.False(t, p.HasEnded(), p.log)
	}
	var mu sync.Mutex
	var clients sync.WaitGroup
	busy := make(chan struct{})
	before := len(drawn)
	for range 4 {
		clients.Go(func() {
			for {
				res, err := http.Post(p.url+"/orders", "application/json", nil)
				if err != nil {
					return // it listens no more
				}
				var order struct{ ID uid.UID }
				if err := json.NewDecoder(res.Body).Decode(&order); err != nil || res.StatusCode != http.StatusOK {
					t.Errorf("status %d: %v", res.StatusCode, err)
				}
				res.Body.Close()
				mu.Lock()
				if drawn[order.ID] {
					t.Errorf("%v comes twice", order.ID)
				}
				drawn[order.ID] = true
				if len(drawn) == before+1000 {
					close(busy)
				}
				mu.Unlock()
			}
		})
	}
	<-busy
	p.Signal(syscall.SIGTERM)
	clients.Wait()
	<-p.Done()
	require.Zero(t, p.State().ExitCode(), p.log)
	require.Contains(t, p.log.String(), "draining")
}
