package storetest

import (
	"errors"
	"time"

	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

var errMissing = worker.ErrNoNamespace

var initChecks = []check{
	{"Init makes a namespace once", "Init calls decide with the namespace, " +
		"Fresh when there is none, and with the highest worker ID that ever had a row", initOnce},
	{"Init after the namespace was lost", "Where the store sees a row above what it has stored it gives that row's ID", initAgain},
	{"Init at once", "nobody else can change what decide sees before the outcome is stored", initAtOnce},
	{"nothing makes a namespace but Init", "a missing namespace is ErrNoNamespace", missingNamespace},
	{"namespaces are apart", "a Store keeps the rows of one namespace", apart},
}

func initOnce(p *probe) {
	namespace := p.namespace()
	c, other := p.open(namespace), p.open(namespace)
	if n := c.namespace(); !n.Fresh || n.Given != -1 || n.History != "" {
		p.Errorf("a new namespace is offered as %+v, wanted is Fresh, with a Given of -1 and without a History", n)
	}
	if n := c.namespace(); !n.Fresh {
		p.Errorf("after decide has refused to make it a namespace is there: %+v", n)
	}
	c.create()
	n := other.namespace()
	if n.Fresh || n.Given != -1 || n.Layout != "made by the suite" {
		p.Errorf("a namespace that is made and not used is offered as %+v", n)
	}
	err := other.Init(p.Ctx, func(n *lease.Namespace, _ lease.Clock) error {
		n.Floor = 5
		return nil
	})
	if err != nil {
		p.Fatalf("Init of a namespace that is there: %v", err)
	}
	n.Floor = 5
	if got := c.namespace(); got.Fresh || namespaceDiff(got, n) != "" {
		p.Errorf("a namespace that was changed by Init is offered as %+v: %s", got, namespaceDiff(got, n))
	}
	c.put(lease.Row{Until: early})
	if got := other.namespace(); got.Fresh || got.Given != 0 {
		p.Errorf("a namespace that is used is offered as %+v; "+
			"wanted is a Given of 0", got)
	}
	n.Given = 0
	refused := errors.New("refused")
	err = c.Init(p.Ctx, func(n *lease.Namespace, _ lease.Clock) error {
		*n = lease.Namespace{Layout: "refused", Floor: 99}
		return refused
	})
	if !errors.Is(err, refused) {
		p.Errorf("Init returned %v, wanted is what decide returned", err)
	}
	if d := namespaceDiff(other.namespace(), n); d != "" {
		p.Errorf("decide refused, and the namespace has changed: %s", d)
	}
}

func initAgain(p *probe) {
	if p.RemoveNamespace == nil {
		p.Notef("not tried: the Subject has no RemoveNamespace")
		return
	}
	c, namespace := p.made()
	elsewhere, _ := p.made()
	elsewhere.put(lease.Row{Until: early})
	row := lease.Row{WorkerID: 1, Until: early, High: 7}
	c.put(lease.Row{WorkerID: 0, Until: early}, row, lease.Row{WorkerID: 2, Until: early})
	if err := p.RemoveNamespace(namespace); err != nil {
		p.Fatalf("RemoveNamespace: %v", err)
	}
	err := c.Take(p.Ctx, wanted(0, 9), func(*lease.Namespace, *lease.Row, lease.Clock) error { return nil })
	if !errors.Is(err, errMissing) {
		p.Errorf("Take from a namespace that was removed returned %v, wanted is ErrNoNamespace", err)
	}
	if n := c.namespace(); !n.Fresh || n.Given != 2 {
		p.Errorf("a namespace that was lost is offered as %+v, wanted is Fresh, "+
			"a Given of 2", n)
	}
	c.create()
	if n := c.namespace(); n.Fresh || n.Given != 2 {
		p.Errorf("a namespace that was made anew is offered as %+v", n)
	}
	if got, found, _ := c.row(1); !found || rowDiff(got, row) != "" {
		p.Errorf("a row of a namespace that was lost and made anew is %+v, wanted %+v", got, row)
	}
}

func initAtOnce(p *probe) {
	namespace := p.namespace()
	crowd := p.Crowd()
	outcomes := p.attempts(8, namespace, func(c *client, _ int, ran *outcome) error {
		return c.Init(p.Ctx, func(n *lease.Namespace, _ lease.Clock) error {
			crowd.Meet()
			ran.fresh = n.Fresh
			if n.Fresh {
				n.Layout, n.Floor = "made by the suite", 0
			}
			n.Floor++
			return nil
		})
	})
	p.counted("Floor", p.open(namespace).namespace().Floor, outcomes)
	made := 0
	for _, o := range outcomes.stored {
		if o.fresh {
			made++
		}
	}
	if made+outcomes.open == 0 || made > 1 {
		p.Errorf("of 8 calls of Init at once %d made the namespace", made)
	}
}

func missingNamespace(p *probe) {
	namespace := p.namespace()
	c := p.open(namespace)
	try := func(when string) {
		err := c.Take(p.Ctx, wanted(0, 9), func(n *lease.Namespace, r *lease.Row, _ lease.Clock) error {
			p.Errorf("%s: Take offers %+v and %+v of a namespace that is not there", when, *n, *r)
			return nil
		})
		if !errors.Is(err, errMissing) {
			p.Errorf("%s: Take returned %v, wanted is ErrNoNamespace", when, err)
		}
		err = c.Change(p.Ctx, 0, func(*lease.Namespace, *lease.Row, lease.Clock) error {
			p.Errorf("%s: Change runs decide for a namespace that is not there", when)
			return errLook
		})
		if !errors.Is(err, errMissing) {
			p.Errorf("%s: Change returned %v, wanted is ErrNoNamespace", when, err)
		}
	}
	try("in an empty store")
	other, _ := p.made()
	other.put(lease.Row{Until: early})
	try("beside another namespace")
	if n := c.namespace(); !n.Fresh || n.Given != -1 {
		p.Errorf("Take or Change of a namespace that is not there left %+v", n)
	}
	try("after an Init that was refused")
}

func apart(p *probe) {
	// Names that a store might confuse.
	names := []string{"orders", "Orders", "orders.eu", "order", "order_", "orders/1", "1"}
	clients := map[string]*client{}
	for i, name := range names {
		c := p.open(name)
		if n := c.namespace(); !n.Fresh || n.Given != -1 {
			p.Errorf("namespace %q is offered as %+v before it is made", name, n)
		}
		c.create()
		if n := c.namespace(); n.Given != -1 {
			p.Errorf("namespace %q has a Given of another, %d", name, n.Given)
		}
		if row, err := c.offers(wanted(0, 3)); err != nil || !row.Unused() || row.WorkerID != 0 {
			p.Errorf("a new namespace beside others that are used is offered row %+v (%v), "+
				"wanted is a new one of worker ID 0", row, err)
		}
		c.put(lease.Row{WorkerID: 0, High: int64(i), Nonce: p.Token(), Holder: name, Until: early})
		clients[name] = c
	}
	for i, name := range names {
		c := clients[name]
		row, found, _ := c.row(0)
		if !found || row.High != int64(i) || row.Holder != name {
			p.Errorf("the row of namespace %q is %+v", name, row)
		}
		row.High, row.Until = 100+row.High, early.Add(time.Second)
		c.set(row)
		if n := c.namespace(); n.Floor != -1 {
			p.Errorf("the Floor of namespace %q is %d, it was not set", name, n.Floor)
		}
		err := c.Init(p.Ctx, func(n *lease.Namespace, _ lease.Clock) error { n.Floor = int64(i); return nil })
		if err != nil {
			p.Fatalf("Init: %v", err)
		}
	}
	for i, name := range names {
		row, _, _ := clients[name].row(0)
		if n := clients[name].namespace(); n.Floor != int64(i) || row.High != int64(i)+100 {
			p.Errorf("namespace %q has Floor %d and High %d, written were %d and %d", name, n.Floor, row.High, i, i+100)
		}
	}
}
