package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"
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
	program Program // without the position and the address of the others
}

// StartGalera starts the nodes. Options are of the form "--name=value"; later ones win.
func StartGalera(name string, options ...string) (*Galera, error) {
	library, err := Find("galera-4", "libgalera_smm.so", "/usr/lib/galera", "/usr/lib64/galera-4", "/usr/lib/*/galera")
	if err != nil {
		return nil, err
	}
	const nodes = 3
	flavour := mariaDB
	flavour.account = "mysql" // as a helper of Galera's that root starts becomes nobody
	g := &Galera{}
	for i := range nodes {
		m, run, err := newMySQL(flavour, fmt.Sprintf("%s %d", name, i+1), 4)
		if err != nil {
			return orClosed(g, err)
		}
		g.Nodes = append(g.Nodes, &GaleraNode{m, run})
	}
	var peers []string
	for _, n := range g.Nodes {
		peers = append(peers, n.Addr(1))
	}
	for i, n := range g.Nodes {
		n.program.Args = append(n.program.Args,
			"--wsrep-on=ON", "--wsrep-provider="+library, "--wsrep-cluster-name="+n.Name()[:len(name)],
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
			}, ";"))
		n.program.Args = append(n.program.Args, options...)
		n.program.Ready = n.Synced
	}
	return orClosed(g, g.begin())
}

// begin starts a new cluster. The first node's data is copied to the others, so that none has to
// ask for a transfer of all data.
func (g *Galera) begin() error {
	first := g.Nodes[0]
	if err := first.bootstrap(""); err != nil {
		return err
	}
	if err := first.Exec("CREATE DATABASE uid"); err != nil {
		return err
	}
	if err := first.Stop(); err != nil {
		return err
	}
	for _, n := range g.Nodes[1:] {
		if err := os.RemoveAll(n.Path("data")); err != nil {
			return err
		}
		if err := os.CopyFS(n.Path("data"), os.DirFS(first.Path("data"))); err != nil {
			return err
		}
		for _, own := range []string{"galera.cache", "gvwstate.dat"} {
			_ = os.Remove(n.Path("data", own))
		}
	}
	return g.Bootstrap()
}

// Bootstrap makes a new primary component of nodes that are all down, from the one that has the
// newest commit, and has the others join it.
func (g *Galera) Bootstrap() error {
	newest, at, where := g.Nodes[0], int64(-2), ""
	for _, n := range g.Nodes {
		text, number, err := n.recover()
		if err != nil {
			return err
		}
		if number > at {
			newest, at, where = n, number, text
		}
	}
	if err := newest.bootstrap(where); err != nil {
		return err
	}
	for _, n := range g.Nodes {
		if n != newest {
			if err := n.Join(); err != nil {
				return fmt.Errorf("%w\nand the other node:\n%s", err, newest.Output())
			}
		}
	}
	return nil
}

// bootstrap starts the node as the first of a new primary component.
func (n *GaleraNode) bootstrap(position string) error {
	state := n.Path("data", "grastate.dat")
	if text, err := os.ReadFile(state); err == nil {
		text = regexp.MustCompile(`safe_to_bootstrap: *\d`).ReplaceAll(text, []byte("safe_to_bootstrap: 1"))
		if err := os.WriteFile(state, text, 0o600); err != nil {
			return err
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return n.start(position, "--wsrep-new-cluster")
}

// Join starts a node that is down, which joins the primary component that the others are.
func (n *GaleraNode) Join() error {
	position, _, err := n.recover()
	if err != nil {
		return err
	}
	return n.start(position)
}

func (n *GaleraNode) start(position string, args ...string) error {
	if position != "" {
		args = append(args, "--wsrep-start-position="+position)
	}
	p := n.program
	p.Args = append(p.Args[:len(p.Args):len(p.Args)], args...)
	return n.Start(p)
}

// recovered is how a server says up to which commit its data goes.
var recovered = regexp.MustCompile(`Recovered position: ?(([0-9a-f-]+):(-?\d+))`)

// stopped is how a server that was stopped has left it.
var stopped = regexp.MustCompile(`uuid: *([0-9a-f-]+)\s+seqno: *(\d+)`)

// recover returns where the data of a node that is down ends: in the server's words, which are
// empty if it never had any, and the number of the newest commit.
func (n *GaleraNode) recover() (position string, number int64, err error) {
	if state, err := os.ReadFile(n.Path("data", "grastate.dat")); err == nil {
		if found := stopped.FindSubmatch(state); found != nil {
			_, err = fmt.Sscan(string(found[2]), &number)
			return string(found[1]) + ":" + string(found[2]), number, err
		}
	}
	p := n.program
	p.Args = append(p.Args[:len(p.Args):len(p.Args)], "--wsrep-recover", "--skip-networking")
	out, err := n.Do(p)
	if err != nil {
		return "", 0, err
	}
	found := recovered.FindStringSubmatch(out)
	if found == nil {
		return "", -1, nil
	}
	_, err = fmt.Sscan(found[3], &number)
	return found[1], number, err
}

// Synced returns nil when the node is one of the primary component, and up to date.
func (n *GaleraNode) Synced(ctx context.Context) error {
	if err := n.ping(ctx); err != nil {
		return err
	}
	state, err := n.status("wsrep_local_state_comment")
	if err == nil && state != "Synced" {
		err = fmt.Errorf("cluster: %s is %q", n.Name(), state)
	}
	return err
}

// Primary reports whether the node is one of the primary component.
func (n *GaleraNode) Primary() (bool, error) {
	state, err := n.status("wsrep_cluster_status")
	return state == "Primary", err
}

func (n *GaleraNode) status(variable string) (string, error) {
	return n.ask("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = '" + variable + "'")
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
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		is, err := n.Primary()
		if err == nil && is == want && (!want || n.Synced(context.Background()) == nil) {
			return nil
		}
		if time.Since(began) > patience {
			return fmt.Errorf("cluster: %s: waited %v for being in the primary component = %v (%v)\n%s",
				n.Name(), patience, want, err, n.Output())
		}
	}
}

// AwaitWhole waits until all nodes are in the primary component, by what each of them says: one that has stood still
// says so until it has heard that the others have given it up.
func (g *Galera) AwaitWhole() error {
	whole := func(n *GaleraNode) error {
		size, err := n.status("wsrep_cluster_size")
		if err == nil && size != fmt.Sprint(len(g.Nodes)) {
			err = fmt.Errorf("cluster: %s knows of %s nodes", n.Name(), size)
		}
		return err
	}
	synced := func(n *GaleraNode) error { return n.Synced(context.Background()) }
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		var all []error
		for _, is := range []func(*GaleraNode) error{whole, synced} {
			for _, n := range g.Nodes {
				all = append(all, is(n))
			}
		}
		err := errors.Join(all...)
		if err == nil || time.Since(began) > patience {
			return err
		}
	}
}

// Version returns the servers' version.
func (g *Galera) Version() (string, error) { return g.Nodes[0].Version() }

// Close kills all nodes.
func (g *Galera) Close() {
	for _, n := range g.Nodes {
		n.Close()
	}
}
