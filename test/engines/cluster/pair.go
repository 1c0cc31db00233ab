package cluster

import (
	"errors"
	"fmt"

	"github.com/uidgen/uid/test/harness"
)

// A replica is a server in either role of a [Pair].
type replica interface {
	URL(addr string) string
	Version() (string, error)
	Addr(int) string
	Kill()
	Close()
	position() (string, error)    // of the newest commit, on a primary
	reached(string) (bool, error) // whether a replica has it
	promote() error
}

// A Pair is a server and one that replicates it asynchronously, through a proxy: Lag cuts them
// off from each other, so that the primary acknowledges commits that the replica does not have.
// One goroutine at a time may call its methods.
type Pair struct {
	name    string
	start   starter
	link    *harness.Proxy // from the replica to the primary
	count   int            // of servers started
	primary replica
	replica replica // nil between Failover and Rejoin
}

// A starter starts a server, which follows the primary at an address if that is not empty.
type starter func(name string, number int, primary string) (replica, error)

func startPair(name string, start starter) (*Pair, error) {
	p := &Pair{name: name, start: start}
	var err error
	if p.primary, err = p.next(""); err != nil {
		return nil, err
	}
	if p.link, err = harness.Listen("127.0.0.1:0", p.primary.Addr(0)); err == nil {
		err = p.Rejoin()
	}
	return orClosed(p, err)
}

// next starts one more server.
func (p *Pair) next(primary string) (replica, error) {
	p.count++
	return p.start(fmt.Sprintf("%s %d", p.name, p.count), p.count, primary)
}

// URL returns where the database is: at the primary's address, or at that of a proxy.
func (p *Pair) URL(addr string) string { return p.primary.URL(addr) }

// Addr returns the address of the primary.
func (p *Pair) Addr() string { return p.primary.Addr(0) }

// Standby returns the address of the replica, which is there but between Failover and Rejoin.
func (p *Pair) Standby() string { return p.replica.Addr(0) }

// Whole reports whether there is a replica, as there is but between Failover and Rejoin.
func (p *Pair) Whole() bool { return p.replica != nil }

// Version returns the servers' version.
func (p *Pair) Version() (string, error) { return p.primary.Version() }

// MySQL returns the primary of a pair of MySQL's or MariaDB's, and MySQLReplica its replica.
func (p *Pair) MySQL() *MySQL        { return p.primary.(*MySQL) }
func (p *Pair) MySQLReplica() *MySQL { return p.replica.(*MySQL) }

// Lag cuts the replica off from the primary: it gets none of the later commits, until it is
// called with false.
func (p *Pair) Lag(lags bool) { p.link.Refuse(lags) }

// CatchUp waits until the replica has everything that the primary has committed.
func (p *Pair) CatchUp() error {
	at, err := p.primary.position()
	if err != nil {
		return err
	}
	return await(func() error {
		has, err := p.replica.reached(at)
		if err == nil && !has {
			err = fmt.Errorf("cluster: the replica of %s does not reach %s", p.name, at)
		}
		return err
	})
}

// Failover kills the primary and promotes the replica as it is.
func (p *Pair) Failover() error {
	if p.replica == nil {
		return errors.New("cluster: the pair " + p.name + " has no replica: call Rejoin")
	}
	p.primary.Kill()
	if err := p.replica.promote(); err != nil {
		return err
	}
	p.primary.Close()
	p.primary, p.replica = p.replica, nil
	return nil
}

// Rejoin gives the primary a new replica and waits until it has caught up. What only a former
// primary had is lost for good.
func (p *Pair) Rejoin() error {
	p.link.Refuse(false)
	p.link.Retarget(p.primary.Addr(0))
	second, err := p.next(p.link.Addr())
	if err != nil {
		return err
	}
	p.replica = second
	return p.CatchUp()
}

// Close kills both servers.
func (p *Pair) Close() {
	for _, s := range []replica{p.primary, p.replica} {
		if s != nil {
			s.Close()
		}
	}
	if p.link != nil {
		p.link.Close()
	}
}
