package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"
)

// RunRegistry does for a [registry.Store] what [Run] does for each of its namespaces: it runs
// each check in a subtest of its own, on a store of its own, which open returns empty. The
// Subject's Registry is required, and each of its clients has to see what the others have done.
func RunRegistry(t *testing.T, cfg Config, open func(t *testing.T) Subject) {
	t.Helper()
	run(t, cfg, registryChecks, open)
}

// registryChecks are those of RunRegistry, ordered so that the first failure says most.
var registryChecks = slices.Concat(rowsChecks, pruneChecks)

// A clerk is a registry.Store under watch: it checks in each call what holds for every call.
type clerk struct {
	p     *probe
	store registry.Store
}

// clerk returns a new client of all namespaces.
func (p *probe) clerk() *clerk {
	s, err := p.Registry()
	if err != nil {
		p.Fatalf("Registry(): %v", err)
	}
	return &clerk{p: p, store: s}
}

// Namespaces calls the store's Namespaces under watch.
func (k *clerk) Namespaces(ctx context.Context) ([]string, lease.Clock, error) {
	names, now, err := k.store.Namespaces(ctx)
	k.p.NoSecrets("Namespaces", err)
	if err == nil || errors.Is(err, errMissing) {
		k.p.call("Namespaces").clock(now)
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		k.p.Errorf("Namespaces returned %q, which is not in ascending order, each once", names)
	}
	return names, now, err
}

// Rows calls the store's Rows under watch.
func (k *clerk) Rows(ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
	page, err := k.store.Rows(ctx, namespace, above, most)
	k.p.NoSecrets("Rows", err)
	if err == nil {
		k.p.call("Rows").page(page, above, most)
	}
	return page, err
}

// Prune calls the store's Prune under watch.
func (k *clerk) Prune(ctx context.Context, namespace string, above int64, most int, old time.Duration, decide func(registry.Page) ([]int64, error)) ([]int64, error) {
	c := k.p.call("Prune")
	var offered, named []int64
	removed, err := k.store.Prune(ctx, namespace, above, most, old, func(page registry.Page) (ids []int64, err error) {
		err = c.Run(func() error {
			c.page(page, above, most)
			for _, r := range page.Rows {
				if !r.Until.Add(old + page.Clock.Error).Before(page.Clock.Now) {
					k.p.Errorf("Prune offers worker ID %d until %v, wanted are those over for more than %v at %v, less %v",
						r.WorkerID, r.Until, old, page.Clock.Now, page.Clock.Error)
				}
			}
			offered = idsOf(page.Rows)
			ids, err = decide(page)
			named = ids
			return err
		})
		return ids, err
	})
	err = c.End(err)
	for _, id := range removed {
		if err == nil && (!slices.Contains(named, id) || !slices.Contains(offered, id)) {
			k.p.Errorf("Prune removed worker ID %d, where it had offered %v and decide named %v", id, offered, named)
		}
	}
	return removed, err
}

func (k *call) page(p registry.Page, above int64, most int) {
	k.clock(p.Clock)
	if !p.Namespace.Fresh {
		k.namespace(&p.Namespace)
	}
	if len(p.Rows) > most {
		k.p.Errorf("%s: the page has %d rows, asked for were up to %d", k.Name(), len(p.Rows), most)
	}
	for _, r := range p.Rows {
		k.row(&r)
		if r.Fresh || r.WorkerID <= above || r.WorkerID < 0 {
			k.p.Errorf("%s: the page of IDs above %d has %+v", k.Name(), above, r)
		}
		above = r.WorkerID
	}
}

func idsOf(rows []lease.Row) (ids []int64) {
	for _, r := range rows {
		ids = append(ids, r.WorkerID)
	}
	return ids
}

// rows reads a page. That changes nothing, so it tries again while the store's errors may pass.
func (k *clerk) rows(namespace string, above int64, most int) (page registry.Page) {
	k.p.Again("Rows", func() (err error) {
		page, err = k.Rows(k.p.Ctx, namespace, above, most)
		return err
	})
	return page
}

// names reads the names of all namespaces.
func (k *clerk) names() (names []string) {
	k.p.Again("Namespaces", func() (err error) {
		names, _, err = k.Namespaces(k.p.Ctx)
		return err
	})
	return names
}

// old reads the page that Prune offers, and removes nothing.
func (k *clerk) old(namespace string, above int64, most int, old time.Duration) (page registry.Page) {
	k.p.Again("Prune", func() error {
		_, err := k.Prune(k.p.Ctx, namespace, above, most, old, func(p registry.Page) ([]int64, error) {
			page = p
			return nil, errLook
		})
		if errors.Is(err, errLook) {
			return nil
		}
		return err
	})
	return page
}

// prune removes the rows of IDs, if they have been over for an hour.
func (k *clerk) prune(namespace string, ids ...int64) (removed []int64) {
	k.p.Again("Prune", func() (err error) {
		removed, err = k.Prune(k.p.Ctx, namespace, -1, 1000, time.Hour, func(registry.Page) ([]int64, error) { return ids, nil })
		return err
	})
	return removed
}
