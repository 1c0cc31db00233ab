package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker/lease"
)

// A world is all that the processes of a round depend on.
type world struct {
	dir    string // of state files
	places map[string]*place
	round  int
	ids    lease.Range // that the namespaces have, all by default
}

func newWorld() (*world, error) {
	dir, err := os.MkdirTemp("", "uid-soak-")
	return &world{dir: dir, places: map[string]*place{}}, err
}

func (w *world) close() {
	for _, p := range w.places {
		p.close()
	}
	_ = os.RemoveAll(w.dir)
}

// renew makes a world for another round, with new namespaces for its slots to lease in.
func (w *world) renew(slots []slot) error {
	w.round++
	var all []error
	for _, p := range w.places {
		p.rewound = map[string]time.Time{}
		if p.pair != nil && !p.pair.Whole() {
			all = append(all, p.pair.Rejoin())
		}
	}
	for _, s := range slots {
		if p := w.places[s.Place]; p != nil {
			all = append(all, p.createDatabase(s.Share))
		}
	}
	for _, sp := range spaces(slots) {
		all = append(all, w.found(sp, false))
	}
	for _, p := range w.places {
		if p.pair != nil && p.pair.Whole() {
			all = append(all, p.pair.CatchUp())
		}
	}
	return errors.Join(all...)
}

// state is the file of a slot's worker, and namespace what slots of a share lease in.
func (w *world) state(slot int) string         { return filepath.Join(w.dir, fmt.Sprint(w.round, ".", slot)) }
func (w *world) namespace(share string) string { return fmt.Sprint(share, w.round) }

// found makes the namespace of a space, which is known to be new, or raises its floor if it was lost.
func (w *world) found(sp space, lost bool) error {
	return w.ask(sp, func(ctx context.Context, s engines.Store) error {
		ns, err := s.Namespace(w.namespace(sp.Share))
		if err != nil {
			return err
		}
		return lease.Found(ctx, ns, lease.Founding{Layout: layout, Lost: lost, IDs: w.ids})
	})
}

// rows reads a space, by no proxy.
func (w *world) rows(sp space) (page registry.Page, err error) {
	err = w.ask(sp, func(ctx context.Context, s engines.Store) (err error) {
		page, err = s.Rows(ctx, w.namespace(sp.Share), -1, 1<<idBits)
		return err
	})
	return page, err
}

// ask asks the store of a space, which may be on its way back.
func (w *world) ask(sp space, try func(context.Context, engines.Store) error) error {
	p := w.places[sp.Place]
	return insist(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		s, c, err := engines.Open(ctx, p.url(p.d.Addrs, 0, sp.Share))
		if err != nil {
			return err
		}
		defer c.Close()
		return try(ctx, s)
	})
}

// insist tries again what is not possible yet, or what others' locks prevent.
func insist(do func() error) error {
	const limit = time.Minute
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if err := do(); err == nil || time.Since(began) > limit {
			return err
		}
	}
}

// A place is a deployment of an engine, and what breaks it.
type place struct {
	name string
	d    *engines.Deployment
	pair *cluster.Pair // nil for servers of which none takes the place of another
	// ways are two proxies in front of each node. Half of the processes use one, half the other.
	ways [2]engines.Way
	// byHand says that an operator is at work. So each share has a database of its own.
	byHand bool
	// behind says that other places depend on this one, in which no slot has a store.
	behind bool
	// commits are texts of the statements that write, if connections show them.
	commits   []string
	disturbed atomic.Int64 // commits
	often     float64      // how often servers are killed and paused, 0 for once in the usual time

	mu      sync.Mutex
	rewound map[string]time.Time // when a share, or with "" all of them, lost commits last
}

// open adds a place, whose proxies end with it.
func (w *world) open(p *place) error {
	w.places[p.name] = p
	for i := range p.ways {
		for _, addr := range p.d.Addrs {
			proxy, err := harness.Listen("127.0.0.1:0", addr)
			if err != nil {
				return err
			}
			p.ways[i] = append(p.ways[i], proxy)
		}
	}
	u, err := url.Parse(p.url(p.d.Addrs, 0, ""))
	if err != nil {
		return err
	}
	switch u.Scheme {
	case "mysql":
		p.commits = []string{cluster.LeaseWrite, cluster.Commit}
	case "postgres":
		p.commits = []string{cluster.LeaseWriteOnPostgres, cluster.Commit}
	}
	return nil
}

func (p *place) close() {
	p.all((*harness.Proxy).Close)
	p.d.Close()
}

// start adds a place on servers of an engine, or on a pair of them.
func (w *world) start(name string, e engines.Engine, paired bool) error {
	p := &place{name: name}
	var err error
	if paired {
		if p.pair, err = e.Pair(); err == nil {
			p.d = engines.One(nil, p.pair.Addr(), p.pair.URL, p.pair.Version, p.pair.Close)
		}
	} else {
		p.d, err = e.Start()
	}
	if err != nil {
		return err
	}
	return w.open(p)
}

// url names the database of a share, at addresses of which one comes first. Replies that take too long are given up.
func (p *place) url(addrs []string, first int, share string) string {
	if n := len(addrs); len(p.d.Nodes) > 1 {
		addrs = append(addrs[first%n:n:n], addrs[:first%n]...)
	}
	text := p.d.URL(addrs...)
	u, err := url.Parse(text)
	if err != nil || !p.byHand {
		return text
	}
	u.Path = path.Join(path.Dir(u.Path), share)
	if u.Scheme == "mysql" {
		u.RawQuery = "timeout=2s&readTimeout=3s&writeTimeout=3s"
	}
	return u.String()
}

// createDatabase makes that of a share, where shares have one each and it is no file.
func (p *place) createDatabase(share string) error {
	if !p.byHand || len(p.d.Addrs) == 0 {
		return nil
	}
	db, err := p.sql("")
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec("CREATE DATABASE IF NOT EXISTS " + share)
	return err
}

// can are the faults that the place's servers and connections can have.
func (p *place) can() (servers, connections []fault) {
	switch {
	case p.pair != nil:
		servers = []fault{failover}
	case p.d.Ours():
		servers = []fault{serverKill, serverPause}
	}
	if p.d.Isolate != nil {
		servers = append(servers, isolate)
	}
	if len(p.d.Addrs) > 0 {
		connections = []fault{cut, delay, refuse, mute}
		if len(p.commits) > 0 {
			connections = append(connections, swallowReply, swallowCommit)
		}
	}
	return servers, connections
}

// suffer has a fault happen, to its end.
func (p *place) suffer(e event) error {
	way := e.Row % 2
	switch e.Fault {
	case serverKill:
		return p.outage(e)
	case serverPause:
		return p.part(e, func(node int, out bool) error {
			if out {
				return p.d.Nodes[node].Pause()
			}
			return p.d.Nodes[node].Resume()
		})
	case isolate:
		return p.part(e, p.d.Isolate)
	case failover:
		return p.failover()
	case cut:
		p.all((*harness.Proxy).Cut)
	case delay:
		p.ways[way].Each(func(x *harness.Proxy) { x.Delay(e.By) })
		time.Sleep(e.For)
		p.ways[way].Each(func(x *harness.Proxy) { x.Delay(0) })
	case refuse:
		refused := p.ways[way]
		if n := len(refused); n > 1 && !p.d.Single && e.Row%3 > 0 { // clients go on at the others
			refused = engines.Way{refused[e.Row/2%n]}
		}
		refused.Each(func(x *harness.Proxy) { x.Refuse(true) })
		time.Sleep(e.For)
		refused.Each(func(x *harness.Proxy) { x.Refuse(false) })
	case mute: // the servers do what they are asked to, and nobody hears of it
		p.ways[way].Each(func(x *harness.Proxy) { x.Mute(true) })
		time.Sleep(e.For)
		p.ways[way].Each(func(x *harness.Proxy) { x.Mute(false) })
	case setBack:
		return p.setBack(e)
	case swallowReply:
		p.ways[way].Each(func(x *harness.Proxy) { x.SwallowReply(p.commit()) })
	case swallowCommit:
		p.ways[way].Each(func(x *harness.Proxy) { x.SwallowRequest(p.commit()) })
	}
	return nil
}

// setBack has a file become what it was some time ago: as another one that takes its place or, in odd Rows, as one
// that has lost commits.
func (p *place) setBack(e event) error {
	file := strings.TrimPrefix(p.d.URL(), "sqlite://")
	before, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	time.Sleep(e.For)
	_ = os.Remove(file + "-journal") // of the write under which a process was killed
	if e.Row%2 == 1 {
		return os.WriteFile(file, before, 0o600)
	}
	if err := os.WriteFile(file+".before", before, 0o600); err != nil {
		return err
	}
	return os.Rename(file+".before", file)
}

// all does something to all proxies.
func (p *place) all(do func(*harness.Proxy)) {
	for _, w := range p.ways {
		w.Each(do)
	}
}

// commit returns a text of a statement that writes, of each kind in turn.
func (p *place) commit() string { return p.commits[p.disturbed.Add(1)%int64(len(p.commits))] }

// outage kills some servers, or all of them, and starts them again later.
func (p *place) outage(e event) error {
	nodes, err := p.victims(e, true)
	if err != nil {
		return err
	}
	for _, i := range nodes {
		p.d.Nodes[i].Kill()
	}
	if len(nodes) == len(p.d.Nodes) {
		time.Sleep(e.For)
		return p.d.Revive()
	}
	p.avoid(nodes[0], true)
	time.Sleep(e.For)
	err = p.d.Nodes[nodes[0]].Restart()
	p.avoid(nodes[0], false)
	return err
}

// part takes a server out for some time.
func (p *place) part(e event, set func(node int, out bool) error) error {
	nodes, err := p.victims(e, false)
	if err != nil {
		return err
	}
	err = set(nodes[0], true)
	p.avoid(nodes[0], true)
	time.Sleep(e.For)
	p.avoid(nodes[0], false)
	return errors.Join(err, set(nodes[0], false))
}

func (p *place) victims(e event, all bool) ([]int, error) {
	return p.d.Victims(rand.New(rand.NewPCG(uint64(e.Row), 0)), e.Row, all)
}

// avoid leads clients that know one address past a node that is down, as a balancer would, or back.
func (p *place) avoid(node int, avoided bool) {
	if n := len(p.d.Addrs); p.d.Single && n > 1 && node < n {
		to := node
		if avoided {
			to = (node + 1) % n
		}
		for _, w := range p.ways {
			w[node].Retarget(p.d.Addrs[to])
		}
	}
}

// failoverSpan is how long before a failover its replica falls behind.
const failoverSpan = 1500 * time.Millisecond

// failover loses what was committed in the last while, for the processes to find out.
func (p *place) failover() error {
	p.pair.Lag(true)
	time.Sleep(failoverSpan)
	if err := p.promote(); err != nil {
		return err
	}
	return p.pair.Rejoin()
}

// promote has the replica take the primary's place.
func (p *place) promote() error {
	if err := p.pair.Failover(); err != nil {
		return err
	}
	p.d.Addrs[0] = p.pair.Addr()
	for _, w := range p.ways {
		w[0].Retarget(p.d.Addrs[0])
	}
	p.rewind("")
	return nil
}

// rewind notes that a share, or with "" all, has lost commits, or was given an older state.
func (p *place) rewind(share string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rewound[share] = time.Now()
}

// lossOf returns when a share has lost commits last.
func (p *place) lossOf(share string) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own, all := p.rewound[share], p.rewound[""]; own.After(all) {
		return own
	}
	return p.rewound[""]
}
