package places

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
)

// A Worker holds the flags that say under which worker ID a run makes UIDs.
type Worker struct {
	Store     Store
	Layout    cli.LayoutFlag
	Namespace string // of leases; "" if not given
	Lossy     bool
}

// Register registers the flags.
func (w *Worker) Register(flags *pflag.FlagSet) {
	w.Layout = cli.NewLayoutFlag()
	w.Store.Register(flags)
	flags.Var(cli.TextVar(&w.Namespace, "NAME"), "namespace", `namespace of a leased ID (default "default")`)
	flags.Var(&w.Layout, "layout", cli.LayoutUsage)
}

// RegisterSegments registers the flags for numbers.
func (w *Worker) RegisterSegments(flags *pflag.FlagSet) {
	flags.BoolVar(&w.Lossy, LossyFlag, false, LossyUsage)
	w.Store.RegisterSegments(flags)
}

// Choose has a URL that names a namespace lease there, in a database, too.
func (w *Worker) Choose(s *Opened) {
	if named := s.Choice.Namespace(); named != "" && w.Namespace == "" {
		w.Namespace, s.Numbers = named, nil
	}
}

// Of returns the worker of a run: a disposable ID where the store has them, and else a lease.
func (w *Worker) Of(p *cli.Program, s *Opened) (uid.Worker, error) {
	if s.Numbers != nil {
		if w.Namespace != "" {
			return nil, cli.BadInput(
				"--namespace is for stores that lease IDs; this one gives each run an ID of its own")
		}
		return disposable.New(s.Numbers, disposable.Config{
			Timeout: w.Store.Timeout, LossyStore: w.Lossy, Logger: p.Log(), Now: p.Now})
	}
	leases, err := s.Registry.Namespace(w.Namespace)
	if err != nil {
		return nil, cli.InputError{Err: err}
	}
	return lease.New(leases, lease.Config{Timeout: w.Store.Timeout, MustExist: true, Logger: p.Log()})
}

// Explain adds to the error of a store without a namespace or a free worker ID, or of one that can forget
// IDs, what can be done.
func (w *Worker) Explain(s *Opened, err error) error {
	switch {
	case errors.Is(err, worker.ErrNoNamespace):
		layout := ""
		if w.Layout.Given {
			layout = " --layout " + shellWord(w.Layout.Layout.String())
		}
		return fmt.Errorf("%w: this makes it, once: uid worker init --namespace %s%s%s", worker.ErrNoNamespace,
			shellWord(cmp.Or(w.Namespace, settings.DefaultNamespace)), layout, s.Choice.Flag())
	case errors.Is(err, uid.ErrLossy):
		return fmt.Errorf("%w, here with --%s", err, LossyFlag)
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
