package cluster

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Quorum is servers of which most have to agree on a write. Ports 1 and 2 are for one another, or for who asks how
// they are.
type Quorum struct {
	Nodes
	ask            func(context.Context, *Server) (string, error) // what one says of itself
	leads, version *regexp.Regexp                                 // of what the leader says, and of what each does
}

// Etcd is a cluster of etcd, and ZooKeeper an ensemble.
type (
	Etcd      = Quorum
	ZooKeeper = Quorum
)

// StartEtcd starts a cluster of etcd with so many nodes, and more arguments for each. With
// --cert-file among them clients have to use TLS. It returns when all of them know the leader.
func StartEtcd(name string, nodes int, args ...string) (*Etcd, error) {
	path, err := Find("etcd-server", "etcd")
	if err != nil {
		return nil, err
	}
	all, err := newNodes(name, nodes, 3)
	if err != nil {
		return nil, err
	}
	q := &Quorum{
		Nodes: all, leads: regexp.MustCompile(`etcd_server_is_leader 1`),
		version: regexp.MustCompile(`etcd_server_version\{server_version="([^"]*)`),
		ask:     func(ctx context.Context, s *Server) (string, error) { return page(ctx, s.Addr(2), "/metrics") },
	}
	var members []string
	for _, s := range all {
		members = append(members, s.Name()+"=http://"+s.Addr(1))
	}
	scheme := "http://"
	if slices.Contains(args, "--cert-file") {
		scheme = "https://"
	}
	programs := map[*Server]Program{}
	for _, s := range all {
		p := Program{
			Path: path,
			Args: []string{
				"--name", s.Name(), "--data-dir", s.Path("data"), "--logger", "zap", "--log-level", "warn",
				"--listen-client-urls", scheme + s.Addr(0), "--advertise-client-urls", scheme + s.Addr(0),
				"--listen-peer-urls", "http://" + s.Addr(1), "--initial-advertise-peer-urls", "http://" + s.Addr(1),
				"--initial-cluster", strings.Join(members, ","), "--initial-cluster-state", "new",
				"--initial-cluster-token", name,
				"--listen-metrics-urls", "http://" + s.Addr(2),
			},
			// It can answer a linearizable read.
			Ready: func(ctx context.Context) error { return Answers(ctx, s.Addr(2), "/health", `"health":"true"`) },
		}
		programs[s] = p.with(args...)
	}
	return orClosed(q, startAll(programs))
}

// BackupEtcd saves a snapshot of a cluster of one node. The function that it returns restores that in one, with that
// cluster's token; with another one it is another cluster.
func BackupEtcd(q *Etcd) (restore func(to *Etcd, token string) error, err error) {
	s := q.Nodes[0]
	path, err := Find("etcd-client", "etcdctl")
	if err != nil {
		return nil, err
	}
	snapshot := s.Path("snapshot-" + rand.Text())
	etcdctl := func(s *Server, args ...string) error {
		_, err := s.Do(Program{Path: path, Env: []string{"ETCDCTL_API=3"}, Args: args})
		return err
	}
	restore = func(to *Etcd, token string) error {
		s := to.Nodes[0]
		s.Kill()
		if err := os.RemoveAll(s.Path("data")); err != nil {
			return err
		}
		err := etcdctl(s, "snapshot", "restore", snapshot, "--data-dir", s.Path("data"), "--name", s.Name(),
			"--initial-cluster", s.Name()+"=http://"+s.Addr(1),
			"--initial-advertise-peer-urls", "http://"+s.Addr(1), "--initial-cluster-token", token)
		if err != nil {
			return err
		}
		return s.Restart()
	}
	return restore, etcdctl(s, "--endpoints", s.Addr(0), "snapshot", "save", snapshot)
}

// StartZooKeeper starts an ensemble of n servers, or one server that stands alone. Its tick is
// 200 ms, so that sessions can be as short as 400 ms, and a new leader is elected soon.
func StartZooKeeper(n int) (*ZooKeeper, error) {
	java, err := Find("default-jre-headless", "java")
	if err != nil {
		return nil, err
	}
	jar, err := Find("zookeeper", "zookeeper.jar", "/usr/share/java") // it names all that it needs
	if err != nil {
		return nil, err
	}
	all, err := newNodes("zookeeper", n, 3)
	if err != nil {
		return nil, err
	}
	q := &Quorum{
		Nodes: all, leads: regexp.MustCompile(`Mode: (leader|standalone)`),
		version: regexp.MustCompile(`Zookeeper version: ([^-\n]*)`), ask: srvr,
	}
	others := ""
	for i, s := range all {
		others += fmt.Sprintf("server.%d=127.0.0.1:%d:%d\n", i+1, s.Port(1), s.Port(2))
	}
	if n == 1 {
		others = ""
	}
	programs := map[*Server]Program{}
	for i, s := range all {
		cfg := fmt.Sprintf("tickTime=200\ninitLimit=50\nsyncLimit=25\nminSessionTimeout=400\nmaxSessionTimeout=60000\n"+
			"dataDir=%s\nclientPort=%d\nclientPortAddress=127.0.0.1\nmaxClientCnxns=0\nadmin.enableServer=false\n"+
			"4lw.commands.whitelist=srvr,mntr\n%s", s.Path("data"), s.Port(0), others)
		if err = os.Mkdir(s.Path("data"), 0o700); err == nil {
			err = os.WriteFile(s.Path("zoo.cfg"), []byte(cfg), 0o600)
		}
		if err == nil {
			err = os.WriteFile(s.Path("data", "myid"), []byte(strconv.Itoa(i+1)), 0o600)
		}
		if err != nil {
			return orClosed(q, s.failed(err))
		}
		programs[s] = Program{
			Path: java,
			Args: []string{
				"-Xmx160m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dzookeeper.admin.enableServer=false",
				"-cp", jar, "org.apache.zookeeper.server.quorum.QuorumPeerMain", s.Path("zoo.cfg"),
			},
			Ready: func(ctx context.Context) error {
				says, err := srvr(ctx, s)
				if err == nil && !strings.Contains(says, "Mode: ") {
					err = fmt.Errorf("it says %.100q", says)
				}
				return err
			},
		}
	}
	return orClosed(q, startAll(programs))
}

// Leader returns the number of the server that leads, or 0 while there is none.
func (q *Quorum) Leader() int {
	return max(0, slices.IndexFunc(q.Nodes, func(s *Server) bool {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		says, err := q.ask(ctx, s)
		return err == nil && q.leads.MatchString(says)
	}))
}

// Version returns the servers' version.
func (q *Quorum) Version() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	says, err := q.ask(ctx, q.Nodes[0])
	if found := q.version.FindStringSubmatch(says); found != nil {
		return found[1], err
	}
	return "", err
}

// srvr asks a server of ZooKeeper what it is. It says that it has no mode while it serves nobody.
func srvr(ctx context.Context, s *Server) (string, error) {
	c, err := new(net.Dialer).DialContext(ctx, "tcp", s.Addr(0))
	if err != nil {
		return "", err
	}
	defer c.Close()
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	if _, err := io.WriteString(c, "srvr"); err != nil {
		return "", err
	}
	text, err := io.ReadAll(c)
	return string(text), err
}

// Answers returns nil if a server of HTTP answers that all is well, with a text that has another one in it.
func Answers(ctx context.Context, addr, path, text string) error {
	body, err := page(ctx, addr, path)
	if err == nil && !strings.Contains(body, text) {
		err = fmt.Errorf("cluster: %s: %s", path, body)
	}
	return err
}

func page(ctx context.Context, addr, path string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+path, nil)
	if err != nil {
		return "", err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("cluster: %s: %s: %s", path, answer.Status, body)
	}
	return string(body), err
}
