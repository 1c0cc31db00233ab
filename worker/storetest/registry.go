package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"

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
var registryChecks = rowsChecks

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
		if r.WorkerID <= above || r.WorkerID < 0 {
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
