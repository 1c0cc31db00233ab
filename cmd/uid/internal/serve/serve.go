// Package serve has the command that answers for UIDs and numbers over the network.
package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/places"
	"github.com/uidgen/uid/cmd/uid/internal/server"
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

	web, redis    string // addresses; "off" for none
	workerID      *int64 // nil: of the store
	state         string
	key           string
	tokenFile     string
	insecure      bool
	cert, certKey string
	access        bool
	connections   int64
	request       time.Duration
	drain, stop   time.Duration

	token       *server.Token
	certificate *server.Certificate
}

// Command returns the command serve.
func Command(p *cli.Program) *cobra.Command {
	s := &serve{
		p: p, web: "127.0.0.1:7077", redis: "127.0.0.1:7078",
		connections: 1024, request: 5 * time.Second, stop: 10 * time.Second,
	}
	cmd, flags := cli.NewCommand("serve",
		"Answer for UIDs and numbers over HTTP and the Redis protocol", func(cmd *cobra.Command, _ []string) error {
			if err := s.check(); err != nil {
				return err
			}
			return s.run(cmd.Context())
		})
	flags.Var(cli.AddressVar(&s.web), "listen", "address for HTTP, or off")
	flags.Var(cli.AddressVar(&s.redis), "resp-listen", "address for the Redis protocol, or off")
	s.worker.Register(flags)
	flags.Var(cli.Var(&s.workerID, "N", cli.ReadID), "worker-id", "a fixed worker ID, which nobody else may have")
	flags.Var(cli.TextVar(&s.state, "FILE"), "state", "file that remembers what was issued under --worker-id")
	flags.StringVar(&s.key, "uid-key", server.DefaultUIDKey, "key of the Redis protocol that stands for UIDs")
	s.worker.RegisterSegments(flags)
	flags.Var(cli.TextVar(&s.tokenFile, "FILE"), "token-file",
		"file with the token that clients show; or put it into "+TokenEnv)
	flags.BoolVar(&s.insecure, "insecure", false, "listen on any address without a token")
	flags.Var(cli.TextVar(&s.cert, "FILE"), "tls-cert", "PEM file with the certificate, for both protocols")
	flags.Var(cli.TextVar(&s.certKey, "FILE"), "tls-key", "PEM file with its key")
	flags.BoolVar(&s.access, "access-log", false, "write a line of JSON for each request to standard error")
	flags.Var(cli.CountVar(&s.connections), "max-conns", "connections of each protocol at once")
	flags.Var(cli.SpanVar(&s.request), "request-timeout", "how long a request waits for a UID or a number")
	flags.Var(cli.SpanVar(&s.drain), "drain", "how long it still answers when /readyz says no (default not at all)")
	flags.Var(cli.SpanVar(&s.stop), "stop-timeout", "how long requests that have begun may take in the end")
	return cmd
}

// check refuses flags that do not go together, and reads the token and the certificate.
func (s *serve) check() (err error) {
	switch {
	case s.web == cli.Off && s.redis == cli.Off:
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
	for _, address := range []string{s.web, s.redis} {
		if address == cli.Off {
			continue
		}
		local, err := server.CheckListen(address, s.token != nil, s.insecure)
		switch {
		case err != nil:
			return cli.BadInput("%w (--token-file or $%s; --insecure)", err, TokenEnv)
		case !local && s.token != nil && s.certificate == nil:
			s.p.Log().Warn("uid: without TLS the token crosses the network in the clear", "address", address)
		}
	}
	return nil
}

// reload reads the token and the certificate, for the first time or again. What cannot be used changes
// nothing.
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
	if s.token == nil {
		s.token = new(server.Token)
	}
	return s.token.Set(text) // last, when nothing else can fail
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
	cfg, err := s.config(generator, segments, st)
	if err != nil {
		return err
	}
	answers, err := server.New(cfg)
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
			s.again()
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

// again reads the files again, and says what came of it.
func (s *serve) again() {
	if err := s.reload(); err != nil {
		s.p.Note("nothing has changed by SIGHUP: %v", err)
		return
	}
	s.p.Note("the certificate and the token were read again")
}

// config is the server's.
func (s *serve) config(generator *cached.Generator, segments *server.Segments,
	st *places.Opened) (cfg server.Config, err error) {
	cfg = server.Config{
		UIDs: generator, Segments: segments, UIDKey: s.key, Token: s.token, Logger: s.p.Log(), Version: cli.Version(),
		Ready:     func() error { return ready(generator) },
		LocalOnly: s.token == nil && !s.insecure,
		MaxConns:  int(min(s.connections, 1<<20)), RequestTimeout: s.request,
	}
	if s.certificate != nil {
		cfg.TLS = s.certificate.Config()
	}
	if s.access {
		cfg.Access = slog.New(slog.NewJSONHandler(s.p.Stderr, nil))
	}
	if cfg.Metrics, err = exposition(generator); err != nil {
		return cfg, err
	}
	cfg.Page, err = s.page(generator, st)
	return cfg, err
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
	for i, address := range []string{s.web, s.redis} {
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
	schemes := [2]string{"http://", "redis://"}
	if s.certificate != nil {
		schemes = [2]string{"https://", "rediss://"}
	}
	for i, l := range all {
		if l != nil {
			urls = append(urls, schemes[i]+l.Addr().String())
		}
	}
	return urls
}
