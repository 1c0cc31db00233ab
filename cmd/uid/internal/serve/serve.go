// Package serve has the command that answers for UIDs and numbers over the network.
package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/places"
	"github.com/uidgen/uid/cmd/uid/internal/server"
	"github.com/uidgen/uid/debug"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/metrics"
	uidprometheus "github.com/uidgen/uid/metrics/prometheus"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/statefile"
)

// TokenEnv is the environment variable with the token that clients show.
const TokenEnv = "UID_SERVE_TOKEN"

// serve is the command that answers requests.
type serve struct {
	p      *cli.Program
	worker places.Worker
	cfg    server.Config // with what flags say, and Token and TLS once they are read

	addresses     [2]string // of HTTP and of the Redis protocol; "off" for none
	workerID      *int64    // nil: of the store
	state         string
	tokenFile     string
	insecure      bool
	cert, certKey string
	access        bool
	drain, stop   time.Duration

	certificate *server.Certificate
}

// Command returns the command serve.
func Command(p *cli.Program) *cobra.Command {
	s := &serve{p: p, addresses: [2]string{"127.0.0.1:7077", "127.0.0.1:7078"}, stop: 10 * time.Second,
		cfg: server.Config{MaxConns: 1024, RequestTimeout: 5 * time.Second}}
	cmd, flags := cli.NewCommand("serve",
		"Answer for UIDs and numbers over HTTP and the Redis protocol", func(cmd *cobra.Command, _ []string) error {
			if err := s.check(); err != nil {
				return err
			}
			return s.run(cmd.Context())
		})
	flags.Var(cli.AddressVar(&s.addresses[0]), "listen", "address for HTTP, or off")
	flags.Var(cli.AddressVar(&s.addresses[1]), "resp-listen", "address for the Redis protocol, or off")
	s.worker.Register(flags)
	flags.Var(cli.Var(&s.workerID, "N", cli.ReadID), "worker-id", "a fixed worker ID, which nobody else may have")
	flags.Var(cli.TextVar(&s.state, "FILE"), "state", "file that remembers what was issued under --worker-id")
	flags.StringVar(&s.cfg.UIDKey, "uid-key", "uid", "key of the Redis protocol that stands for UIDs")
	s.worker.RegisterSegments(flags)
	flags.Var(cli.TextVar(&s.tokenFile, "FILE"), "token-file",
		"file with the token that clients show; or put it into "+TokenEnv)
	flags.BoolVar(&s.insecure, "insecure", false, "listen on any address without a token")
	flags.Var(cli.TextVar(&s.cert, "FILE"), "tls-cert", "PEM file with the certificate, for both protocols")
	flags.Var(cli.TextVar(&s.certKey, "FILE"), "tls-key", "PEM file with its key")
	flags.BoolVar(&s.access, "access-log", false, "write a line of JSON for each request to standard error")
	flags.Var(cli.CountVar(&s.cfg.MaxConns), "max-conns", "connections of each protocol at once")
	flags.Var(cli.SpanVar(&s.cfg.RequestTimeout), "request-timeout", "how long a request waits for a UID or a number")
	flags.Var(cli.SpanVar(&s.drain), "drain", "how long it still answers when /readyz says no (default not at all)")
	flags.Var(cli.SpanVar(&s.stop), "stop-timeout", "how long requests that have begun may take in the end")
	return cmd
}

// check refuses flags that do not go together, and reads the token and the certificate.
func (s *serve) check() (err error) {
	switch {
	case s.addresses == [2]string{cli.Off, cli.Off}:
		return cli.BadInput("both --listen and --resp-listen are off")
	case s.workerID != nil && s.state == "":
		return cli.BadInput("--worker-id needs --state: " +
			"without a file nothing keeps a UID from being issued again after a restart")
	case s.workerID == nil && s.state != "":
		return cli.BadInput("--state is for --worker-id")
	case s.workerID != nil && s.worker.Namespace != "":
		return cli.BadInput("--worker-id and --namespace exclude each other")
	case (s.cert == "") != (s.certKey == ""):
		return cli.BadInput("--tls-cert and --tls-key need each other")
	}
	if err := s.reload(); err != nil {
		return cli.InputError{Err: err}
	}
	for _, address := range s.addresses {
		if address == cli.Off {
			continue
		}
		local, err := server.CheckListen(address, s.cfg.Token != nil, s.insecure)
		switch {
		case err != nil:
			return cli.BadInput("%w (--token-file or $%s; --insecure)", err, TokenEnv)
		case !local && s.cfg.Token != nil && s.certificate == nil:
			s.p.Log().Warn("uid: without TLS the token crosses the network in the clear", "address", address)
		}
	}
	return nil
}

// reload reads the token and the certificate, for the first time or again. A file that cannot be used
// changes nothing.
func (s *serve) reload() error {
	text, err := s.tokenText()
	if err == nil && text != "" {
		err = new(server.Token).Set(text)
	}
	switch {
	case err != nil || s.cert == "":
	case s.certificate == nil:
		s.certificate, err = server.NewCertificate(s.cert, s.certKey)
	default:
		err = s.certificate.Reload()
	}
	if err != nil || text == "" {
		return err
	}
	if s.cfg.Token == nil {
		s.cfg.Token = new(server.Token)
	}
	return s.cfg.Token.Set(text) // last, when nothing else can fail
}

// tokenText returns the token; "" is for none. A file that is empty holds no token, and is refused.
func (s *serve) tokenText() (string, error) {
	if s.tokenFile == "" {
		return s.p.Getenv(TokenEnv), nil
	}
	text, err := os.ReadFile(s.tokenFile)
	if err != nil {
		return "", fmt.Errorf("%w: --token-file: %w", uid.ErrConfig, err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", fmt.Errorf("%w: --token-file: the file is empty", uid.ErrConfig)
	}
	return token, nil
}

func (s *serve) run(ctx context.Context) (err error) {
	ctx, stop := cli.UntilSignal(ctx)
	defer stop()
	// Before a worker ID is taken: a port in use is to cost none.
	all, err := s.listen(ctx)
	defer all.close()
	if err != nil {
		return err
	}
	st, err := s.worker.Store.Open(ctx, s.p)
	if err != nil {
		return cli.Interrupted(ctx, err)
	}
	defer func() { _ = st.Close() }()
	s.worker.Choose(st)
	w, err := s.workerOf(st)
	if err != nil {
		return cli.Interrupted(ctx, err)
	}
	generator, err := cached.NewContext(ctx, w,
		cached.Config{Layout: s.worker.Layout.Layout, Logger: s.p.Log(), Now: s.p.Now})
	if err != nil {
		return cli.Interrupted(ctx, s.worker.Explain(st, err))
	}
	defer func() { err = errors.Join(err, s.worker.Store.Release(generator.CloseContext)) }()
	segments, err := server.NewSegments(st.Segments, segment.Config{
		LossyStore: s.worker.Lossy, Timeout: s.worker.Store.Timeout, Logger: s.p.Log(), Now: s.p.Now,
	})
	if err != nil {
		return cli.InputError{Err: err}
	}
	defer func() { err = errors.Join(err, s.worker.Store.Release(segments.CloseContext)) }()
	if err := s.configure(generator, segments, st); err != nil {
		return err
	}
	answers, err := server.New(s.cfg)
	if err != nil {
		return cli.InputError{Err: err}
	}
	s.p.Note("%s", s.identity(generator, st))
	s.p.Note("listening on %s", strings.Join(s.urls(all), " and "))
	return s.answer(ctx, answers, all)
}

// answer answers until a signal.
func (s *serve) answer(ctx context.Context, answers *server.Server, all listeners) error {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	ended := make(chan error, 1)
	go func() { ended <- answers.Serve(all[0], all[1]) }()
	for {
		select {
		case err := <-ended:
			return err
		case <-hup:
			if err := s.reload(); err != nil {
				s.p.Note("nothing has changed by SIGHUP: %v", err)
			} else {
				s.p.Note("the certificate and the token were read again")
			}
			continue
		case <-ctx.Done():
		}
		break
	}
	answers.StopReady()
	if s.drain > 0 {
		select {
		case <-time.After(s.drain):
		case err := <-ended:
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.stop)
	defer cancel()
	if err := answers.Drain(ctx); err != nil {
		s.p.Note("requests that took longer than --stop-timeout %s were cut off", s.stop)
	}
	return <-ended
}

// configure completes the server's settings with what it serves.
func (s *serve) configure(generator *cached.Generator, segments *server.Segments, st *places.Opened) (err error) {
	s.cfg.UIDs, s.cfg.Segments, s.cfg.Logger, s.cfg.Version = generator, segments, s.p.Log(), cli.Version()
	s.cfg.Ready = func() error { return ready(generator) }
	s.cfg.LocalOnly = s.cfg.Token == nil && !s.insecure
	if s.certificate != nil {
		s.cfg.TLS = s.certificate.Config()
	}
	if s.access {
		s.cfg.Access = slog.New(slog.NewJSONHandler(s.p.Stderr, nil))
	}
	if s.cfg.Metrics, err = exposition(generator); err != nil {
		return err
	}
	s.cfg.Page, err = s.page(generator, st)
	return err
}

// workerOf returns the worker of this server.
func (s *serve) workerOf(st *places.Opened) (uid.Worker, error) {
	if s.workerID == nil {
		return s.worker.Of(s.p, st)
	}
	w, err := statefile.New(s.state, worker.FixedID(*s.workerID), statefile.Config{Logger: s.p.Log(), Now: s.p.Now})
	if err != nil {
		return nil, cli.InputError{Err: err}
	}
	return w, nil
}

// listeners are those of both protocols; nil is one that is off.
type listeners [2]net.Listener

func (s *serve) listen(ctx context.Context) (all listeners, err error) {
	for i, address := range s.addresses {
		if address != cli.Off && err == nil {
			all[i], err = new(net.ListenConfig).Listen(ctx, "tcp", address)
		}
	}
	return all, err
}

func (all listeners) close() {
	for _, l := range all {
		if l != nil {
			_ = l.Close()
		}
	}
}

// urls are where clients find the listeners.
func (s *serve) urls(all listeners) (urls []string) {
	schemes, secure := [2]string{"http", "redis"}, ""
	if s.certificate != nil {
		secure = "s"
	}
	for i, l := range all {
		if l != nil {
			urls = append(urls, schemes[i]+secure+"://"+l.Addr().String())
		}
	}
	return urls
}

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

// page returns the page on the generator, and on the holders of its store's worker IDs. A server that answers other
// machines without a token shows no hosts.
func (s *serve) page(g *cached.Generator, st *places.Opened) (http.Handler, error) {
	cfg := debug.Config{
		Title:      "uid serve",
		Generators: []debug.Generator{{Name: generatorName, Generator: g, Namespace: s.namespaceOf(st)}},
		HideHosts:  s.insecure && s.cfg.Token == nil,
		Now:        s.p.Now,
	}
	if s.workerID == nil {
		cfg.Workers = debug.Workers(st.Registry)
	}
	return debug.New(cfg)
}

// identity says which worker ID the server has, and which store, so that a person who starts several sees whether they
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
