package testserver

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

// catchUpLimit bounds the time that a replica takes to catch up with its primary.
const catchUpLimit = time.Minute

// A Pair is two private MariaDB servers. One replicates the other asynchronously: the
// primary acknowledges commits that the replica may not have yet. One goroutine at a time
// may call its methods.
type Pair struct {
	// Primary takes writes. Replica is read-only, and nil between Failover and Rejoin.
	Primary, Replica *Server

	cfg   Config
	count int // of servers started
}

// NewPair returns a replicating pair that ends with the test.
func NewPair(t testing.TB, cfg Config) *Pair {
	t.Helper()
	p, err := StartPair(cfg)
	check(t, err)
	t.Cleanup(p.Close)
	return p
}

// StartPair is [NewPair] without a test: the caller closes the pair.
func StartPair(cfg Config) (*Pair, error) {
	p := &Pair{cfg: cfg}
	primary, err := p.start()
	if err != nil {
		return nil, err
	}
	p.Primary = primary
	if err := p.Rejoin(); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// start returns a server for either role.
func (p *Pair) start() (*Server, error) {
	p.count++
	cfg := p.cfg
	cfg.Args = append(slices.Clip(cfg.Args), "--log-bin=bin", "--log-slave-updates",
		fmt.Sprintf("--server-id=%d", p.count), "--skip-slave-start")
	if cfg.Durable {
		cfg.Args = append(cfg.Args, "--sync-binlog=1")
	}
	s, err := Start(cfg)
	if err != nil {
		return nil, err
	}
	if _, ok := s.run.engine.(*program); !ok {
		s.Close()
		return nil, errors.New("testserver: a pair needs a server program on this machine, since servers in containers do not reach each other: install mariadb-server")
	}
	return s, nil
}

// Close ends both servers and removes their data.
func (p *Pair) Close() {
	for _, s := range []*Server{p.Primary, p.Replica} {
		if s != nil {
			s.Close()
		}
	}
}

// Pause stops the replication: the replica gets none of the later commits.
func (p *Pair) Pause() error { return p.Replica.exec("STOP SLAVE") }

// Resume undoes Pause.
func (p *Pair) Resume() error { return p.Replica.exec("START SLAVE") }

// CatchUp waits until the replica has everything that the primary has committed.
func (p *Pair) CatchUp() error {
	from, err := Connect(p.Primary.DSN(""), Quiet)
	if err != nil {
		return fmt.Errorf("testserver: %w", err)
	}
	defer from.Close()
	to, err := Connect(p.Replica.DSN(""), Quiet)
	if err != nil {
		return fmt.Errorf("testserver: %w", err)
	}
	defer to.Close()
	var position string
	if err := from.Get(&position, "SELECT @@gtid_binlog_pos"); err != nil {
		return fmt.Errorf("testserver: the primary's position: %w", err)
	}
	var waited int
	if err := to.Get(&waited, "SELECT MASTER_GTID_WAIT(?, ?)", position, catchUpLimit.Seconds()); err != nil {
		return fmt.Errorf("testserver: wait for %s: %w", position, err)
	}
	if waited != 0 {
		return fmt.Errorf("testserver: the replica does not reach %s within %v", position, catchUpLimit)
	}
	return nil
}

// Failover kills the primary and promotes the replica as it is.
func (p *Pair) Failover() error {
	if err := p.Primary.Crash(); err != nil {
		return err
	}
	if err := p.Replica.exec("STOP SLAVE", "RESET SLAVE ALL", "SET GLOBAL read_only = 0"); err != nil {
		return err
	}
	p.Primary.Close()
	p.Primary, p.Replica = p.Replica, nil
	return nil
}

// Rejoin gives the new primary a new replica and waits until it has caught up. What only
// the old primary had is lost for good.
func (p *Pair) Rejoin() error {
	s, err := p.start()
	if err != nil {
		return err
	}
	p.Replica = s
	// An empty server that replicates from the beginning ends up with the same data.
	source := p.Primary.Config("")
	err = s.exec("SET GLOBAL read_only = 1", "SET GLOBAL gtid_slave_pos = ''",
		fmt.Sprintf("CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = %d, MASTER_USER = '%s', MASTER_USE_GTID = slave_pos, MASTER_CONNECT_RETRY = 1", p.Primary.run.port, source.User),
		"START SLAVE")
	if err != nil {
		return err
	}
	return p.CatchUp()
}
