package serve

import (
	"cmp"
	"fmt"
	"net/http"

	client "github.com/prometheus/client_golang/prometheus"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/cmd/uid/internal/places"
	"github.com/uidgen/uid/debug"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/metrics"
	uidprometheus "github.com/uidgen/uid/metrics/prometheus"
)

// generatorName is the generator's name in metrics and on the page.
const generatorName = "uid"

// ready returns why a generator has no UIDs, nil if calls get them.
func ready(g health.Reporter) error {
	h := g.Health()
	if h.Ready {
		return nil
	}
	return fmt.Errorf("%w: %s", uid.ErrNoReservation, h)
}

// exposition returns the generator's metrics.
func exposition(g health.Reporter) (client.Gatherer, error) {
	var generators metrics.Set
	if err := generators.Add(generatorName, g); err != nil {
		return nil, err
	}
	all := client.NewRegistry()
	return all, all.Register(uidprometheus.NewCollector(&generators))
}

// page returns the page on the generator, and on who holds the worker IDs of its store. Who may ask
// for UIDs without a token from elsewhere learns of no hosts.
func (s *serve) page(g *cached.Generator, st *places.Opened) (http.Handler, error) {
	cfg := debug.Config{
		Title:      "uid serve",
		Generators: []debug.Generator{{Name: generatorName, Generator: g, Namespace: s.namespaceOf(st)}},
		HideHosts:  s.insecure && s.token == nil,
		Now:        s.p.Now,
	}
	if s.workerID == nil {
		cfg.Workers = debug.Workers(st.Registry)
	}
	return debug.New(cfg)
}

// identity says which worker ID the server has, and which store, so that who starts several sees whether they
// share one.
func (s *serve) identity(g *cached.Generator, st *places.Opened) string {
	own := ""
	if s.workerID != nil {
		own = " of --worker-id"
	}
	return fmt.Sprintf("worker ID %d%s; the store is %s, given by %s", g.Health().Reservation.WorkerID, own, st.Choice,
		st.Choice.Source)
}

// namespaceOf is the namespace of the leased worker ID, or "" for an ID that is not leased.
func (s *serve) namespaceOf(st *places.Opened) string {
	if s.workerID != nil || st.Numbers != nil {
		return ""
	}
	return cmp.Or(s.worker.Namespace, settings.DefaultNamespace)
}
