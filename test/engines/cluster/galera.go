package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// A Galera is a cluster of three MariaDB nodes that replicate by Galera: a commit is on all nodes
// of the primary component, the majority, before it is acknowledged. Nodes outside of it refuse
// all statements.
type Galera struct {
	Nodes []*GaleraNode
}

// A GaleraNode is a node of a Galera cluster.
type GaleraNode struct {
	*MySQL
	all     *Galera
	program Program // without the position and the address of the others
}

// StartGalera starts the nodes. Options are of the form "--name=value"; later ones win.
func StartGalera(name string, options ...string) (*Galera, error) {
	library, err := Find("galera-4", "libgalera_smm.so", "/usr/lib/galera", "/usr/lib64/galera-4", "/usr/lib/*/galera")
	if err != nil {
		return nil, err
	}
	g := &Galera{}
	var peers []string
	for i := range 3 {
		// A helper of Galera's that root starts becomes nobody.
		m, run, err := makeMySQL(mariaDB, fmt.Sprintf("%s %d", name, i+1), 4, "mysql")
		if err != nil {
			return orClosed(g, err)
		}
		g.Nodes = append(g.Nodes, &GaleraNode{m, g, run})
		peers = append(peers, m.Addr(1))
	}
	for i, n := range g.Nodes {
		n.program = n.program.with(
			"--wsrep-on=ON", "--wsrep-provider="+library, "--wsrep-cluster-name="+name,
			"--wsrep-cluster-address=gcomm://"+strings.Join(peers, ","), fmt.Sprintf("--wsrep-node-name=node%d", i+1),
			"--wsrep-node-address="+n.Addr(1), "--wsrep-sst-method=rsync", "--wsrep-sst-receive-address="+n.Addr(3),
			"--binlog-format=ROW", "--innodb-autoinc-lock-mode=2", "--default-storage-engine=InnoDB",
			"--wsrep-provider-options="+strings.Join([]string{
				"gmcast.listen_addr=tcp://" + n.Addr(1), "ist.recv_addr=" + n.Addr(2), "gcache.size=32M",
				"gcache.recover=yes",
				// A dead node is given up after two seconds. The living get longer to agree on that:
				// where they do not in time, on a busy machine, none of them is primary, for good.
				"evs.keepalive_period=PT0.2S", "evs.suspect_timeout=PT2S", "evs.inactive_timeout=PT8S",
				"evs.inactive_check_period=PT0.2S", "evs.install_timeout=PT8S", "pc.recovery=FALSE",
			}, ";")).with(options...)
		n.program.Ready = n.Synced
	}
	return orClosed(g, g.begin())
}

// begin starts a new cluster. The first node's data is copied to the others, so that none has to
// ask for a transfer of all data.
func (g *Galera) begin() error {
	first := g.Nodes[0]
	err := first.Start(first.program.with("--wsrep-new-cluster"))
	if err == nil {
		err = first.Exec("CREATE DATABASE uid")
	}
	if err == nil {
		err = first.Stop()
	}
	for _, n := range g.Nodes[1:] {
		if err == nil {
			err = os.RemoveAll(n.Path("data"))
		}
		if err == nil {
			err = os.CopyFS(n.Path("data"), os.DirFS(first.Path("data")))
		}
		for _, own := range []string{"galera.cache", "gvwstate.dat"} {
			_ = os.Remove(n.Path("data", own))
		}
	}
	if err != nil {
		return err
	}
	return g.Bootstrap()
}

func (n *GaleraNode) state() string { return n.Path("data", "grastate.dat") }

// Bootstrap makes a new primary component of nodes that are all down, from the one that has the
// newest commit, and has the others join it.
func (g *Galera) Bootstrap() error {
	newest, at, last := g.Nodes[0], "", int64(-2)
	for _, n := range g.Nodes {
		position, number, err := n.recover()
		if err != nil {
			return err
		}
		if number > last {
			newest, at, last = n, position, number
		}
	}
	history, number, _ := strings.Cut(at, ":")
	state := fmt.Sprintf("version: 2.1\nuuid: %s\nseqno: %s\nsafe_to_bootstrap: 1\n", history, number)
	if err := os.WriteFile(newest.state(), []byte(state), 0o600); err != nil {
		return err
	}
	if err := newest.start(at, "--wsrep-new-cluster"); err != nil {
		return err
	}
	for _, n := range g.Nodes {
		if n != newest {
			if err := n.Restart(); err != nil {
				return fmt.Errorf("%w\nand the other node:\n%s", err, newest.Output())
			}
		}
	}
	return nil
}

// Restart starts a node that is down, which joins the primary component that the others are.
func (n *GaleraNode) Restart() error {
	position, _, err := n.recover()
	if err != nil {
		return err
	}
	return n.start(position)
}

func (n *GaleraNode) start(position string, args ...string) error {
	return n.Start(n.program.with("--wsrep-start-position=" + position).with(args...))
}

// recovered is how a server says up to which commit its data goes, and stopped how one that was stopped has left it.
var (
	recovered = regexp.MustCompile(`Recovered position: ?(([0-9a-f-]+):(-?\d+))`)
	stopped   = regexp.MustCompile(`uuid: *([0-9a-f-]+)\s+seqno: *(\d+)`)
)

// recover returns where the data of a node that is down ends: in the server's words, and the number of the newest
// commit.
func (n *GaleraNode) recover() (position string, number int64, err error) {
	state, err := os.ReadFile(n.state())
	if err != nil {
		return "", 0, err
	}
	if found := stopped.FindSubmatch(state); found != nil {
		_, err = fmt.Sscan(string(found[2]), &number)
		return string(found[1]) + ":" + string(found[2]), number, err
	}
	out, err := n.Do(n.program.with("--wsrep-recover", "--skip-networking"))
	if err != nil {
		return "", 0, err
	}
	found := recovered.FindStringSubmatch(out)
	if found == nil {
		return "", 0, fmt.Errorf("cluster: %s does not say where its data ends:\n%s", n.Name(), out)
	}
	_, err = fmt.Sscan(found[3], &number)
	return found[1], number, err
}

// Synced returns nil when the node is one of the primary component, and up to date.
func (n *GaleraNode) Synced(context.Context) error {
	return n.is("wsrep_local_state_comment", "Synced", true)
}

// is returns an error unless a variable of the node's status has a value, or has another one.
func (n *GaleraNode) is(variable, value string, want bool) error {
	has, err := n.ask("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS " +
		"WHERE VARIABLE_NAME = '" + variable + "'")
	if err == nil && (has == value) != want {
		err = fmt.Errorf("cluster: the %s of %s is %q\n%s", variable, n.Name(), has, n.Output())
	}
	return err
}

// Isolate cuts the node off from the others, which go on without it: after some seconds it is
// outside of the primary component. With false it comes back.
func (n *GaleraNode) Isolate(isolated bool) error {
	value := 0
	if isolated {
		value = 1
	}
	if err := n.Exec(fmt.Sprintf("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=%d'", value)); err != nil {
		return err
	}
	return n.AwaitPrimary(!isolated)
}

// AwaitPrimary waits until the node is one of the primary component, or until it is not.
func (n *GaleraNode) AwaitPrimary(want bool) error {
	return await(func() error {
		err := n.is("wsrep_cluster_status", "Primary", want)
		if err == nil && want {
			err = n.Synced(context.Background())
		}
		return err
	})
}

// Resume lets a node that was paused go on, and waits until all nodes are in the primary component, by what each of
// them says: one that has stood still says so until it has heard that the others have given it up.
func (n *GaleraNode) Resume() error {
	if err := n.MySQL.Resume(); err != nil {
		return err
	}
	return await(func() (err error) {
		for _, n := range n.all.Nodes {
			err = errors.Join(err, n.is("wsrep_cluster_size", fmt.Sprint(len(n.all.Nodes)), true))
		}
		for _, n := range n.all.Nodes {
			err = errors.Join(err, n.Synced(context.Background()))
		}
		return err
	})
}

// Version returns the servers' version.
func (g *Galera) Version() (string, error) { return g.Nodes[0].Version() }

// Close kills all nodes.
func (g *Galera) Close() {
	for _, n := range g.Nodes {
		n.Close()
	}
}
