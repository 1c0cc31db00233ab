package cluster

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// zookeeperJar names in its manifest all that it needs.
const zookeeperJar = "/usr/share/java/zookeeper.jar"

// A ZooKeeper is an ensemble.
type ZooKeeper struct {
	Nodes
	programs map[*Server]Program
}

// StartZooKeeper starts an ensemble of n servers, or one server that stands alone. Its tick is
// 200 ms, so that sessions can be as short as 400 ms, and a new leader is elected soon.
func StartZooKeeper(n int) (*ZooKeeper, error) {
	java, err := Find("default-jre-headless", "java")
	if err != nil {
		return nil, err
	}
	there := func() bool { _, err := os.Stat(zookeeperJar); return err == nil }
	if err := install("zookeeper", there); err != nil && !there() {
		return nil, fmt.Errorf("cluster: no %s; apt-get: %w; install zookeeper", zookeeperJar, err)
	}
	all, err := newNodes("zookeeper", n, 3)
	if err != nil {
		return nil, err
	}
	z := &ZooKeeper{all, map[*Server]Program{}}
	for i, s := range all {
		if err := z.configure(s, i+1); err != nil {
			return orClosed(z, err)
		}
		z.programs[s] = Program{
			Path: java,
			Args: []string{
				"-Xmx160m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dzookeeper.admin.enableServer=false",
				"-cp", zookeeperJar, "org.apache.zookeeper.server.quorum.QuorumPeerMain", s.Path("zoo.cfg"),
			},
			Ready: func(ctx context.Context) error { _, err := ZooKeeperMode(ctx, s); return err },
		}
	}
	return orClosed(z, z.Restart())
}

// Restart starts all servers, none of which runs.
func (z *ZooKeeper) Restart() error { return StartAll(z.programs) }

func (z *ZooKeeper) configure(s *Server, id int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "tickTime=200\ninitLimit=50\nsyncLimit=25\nminSessionTimeout=400\nmaxSessionTimeout=60000\n"+
		"dataDir=%s\nclientPort=%d\nclientPortAddress=127.0.0.1\nmaxClientCnxns=0\nadmin.enableServer=false\n"+
		"4lw.commands.whitelist=srvr,mntr\n", s.Path("data"), s.Port(0))
	if len(z.Nodes) > 1 {
		for i, other := range z.Nodes {
			fmt.Fprintf(&b, "server.%d=127.0.0.1:%d:%d\n", i+1, other.Port(1), other.Port(2))
		}
	}
	if err := os.Mkdir(s.Path("data"), 0o700); err != nil {
		return fmt.Errorf("cluster: %s: %w", s.Name(), err)
	}
	for name, text := range map[string]string{"zoo.cfg": b.String(), filepath.Join("data", "myid"): strconv.Itoa(id)} {
		if err := os.WriteFile(s.Path(name), []byte(text), 0o600); err != nil {
			return fmt.Errorf("cluster: %s: %w", s.Name(), err)
		}
	}
	return nil
}

// Leader returns the server that leads, or nil.
func (z *ZooKeeper) Leader(ctx context.Context) *Server {
	for _, s := range z.Nodes {
		if mode, err := ZooKeeperMode(ctx, s); err == nil && mode != "follower" {
			return s
		}
	}
	return nil
}

// ZooKeeperMode asks a server what it is: leader, follower, or standalone. It returns an error
// while it serves nobody.
func ZooKeeperMode(ctx context.Context, s *Server) (string, error) {
	return zookeeperSays(ctx, s, "Mode: ")
}

// ZooKeeperVersion asks a server for its version.
func ZooKeeperVersion(s *Server) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	says, err := zookeeperSays(ctx, s, "Zookeeper version: ")
	version, _, _ := strings.Cut(says, "-") // and what it was built from
	return version, err
}

// zookeeperSays returns the rest of a line of what a server says of itself.
func zookeeperSays(ctx context.Context, s *Server, about string) (string, error) {
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
	if err != nil {
		return "", err
	}
	_, rest, found := strings.Cut(string(text), about)
	if !found {
		return "", fmt.Errorf("cluster: %s says %.100q", s.Name(), text)
	}
	line, _, _ := strings.Cut(rest, "\n")
	return line, nil
}
