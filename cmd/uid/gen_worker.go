package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/scheme"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
)

// open opens the store. A URL that names a namespace has a run lease its ID there, in a database, too.
func (g *gen) open(ctx context.Context) (*workerStore, error) {
	o := scheme.Options{SegmentTable: unless(segmentTable, g.segment.segments)}
	s, err := g.store.open(ctx, g.program, o)
	if err == nil && s.place.namespace() != "" && g.namespace == "" {
		g.namespace, s.Numbers = s.place.namespace(), nil
	}
	return s, err
}

// worker returns the worker of a run: a disposable ID where the store has them, and else a lease.
func (g *gen) worker(s *workerStore) (uid.Worker, error) {
	if s.Numbers != nil {
		if g.namespace != "" {
			return nil, badInput("--namespace is for stores that lease IDs; this one gives each run an ID of its own")
		}
		return disposable.New(s.Numbers,
			disposable.Config{Timeout: g.store.timeout, DurableStoreUnverified: g.segment.lossy, Logger: g.log(),
				Now: g.now})
	}
	leases, err := s.Registry.Namespace(g.namespace)
	if err != nil {
		return nil, inputError{err}
	}
	return lease.New(leases, lease.Config{Timeout: g.store.timeout, MustExist: true, Logger: g.log()})
}

// noNamespace tells how to make a namespace in the store.
func noNamespace(name string, s *workerStore, l layoutFlag) error {
	layout := ""
	if l.set {
		layout = " --layout " + shellWord(l.Layout.String())
	}
	return fmt.Errorf("%w: this makes it, once: uid worker init --namespace %s%s%s", worker.ErrNoNamespace,
		shellWord(cmp.Or(name, settings.DefaultNamespace)), layout, s.place.flag())
}

// flag names the store again in a command line. What may hold a password is not repeated.
func (c choice) flag() string {
	switch {
	case c.source == "--store" && c.file() != "":
		return " --store " + shellWord(c.file())
	case strings.HasPrefix(c.source, "--"):
		return " " + c.source + " ..."
	}
	return "" // the environment's, or the file that is used without any
}

// shellWord quotes a text for a shell if it needs that.
func shellWord(text string) string {
	if regexp.MustCompile(`^[\w./:@%+,-]+$`).MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// full adds to the error of a store without a namespace or a free worker ID, or of one that can forget
// IDs, what can be done.
func (g *gen) full(s *workerStore, err error) error {
	switch {
	case errors.Is(err, worker.ErrNoNamespace):
		return noNamespace(g.namespace, s, g.layout)
	case errors.Is(err, uid.ErrLossy):
		return fmt.Errorf("%w, and so does --%s", err, lossyFlag)
	case !errors.Is(err, uid.ErrNoWorkerID):
		return err
	case s.Numbers == nil:
		return fmt.Errorf("%w; IDs come back five minutes after their runs have ended; "+
			"a layout with more worker bits, in a namespace of its own, has more", err)
	}
	return fmt.Errorf("%w; take a layout with more worker bits (uid help layouts), or a store that leases IDs "+
		"and gets them back: etcd, ZooKeeper or Redis (uid help stores); "+
		"a new store of this kind begins with ID 1 again, and its UIDs can be equal to these", err)
}
