package main

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
	"github.com/uidgen/uid/cmd/uid/internal/serve"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/statefile"
)

// tokenEnv is the environment variable with the token that clients show.
const tokenEnv = "UID_SERVE_TOKEN"

// server is the command that answers requests.
type server struct {
	gen // its store, layout, namespace and worker

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

	token       *serve.Token
	certificate *serve.Certificate
}

func (p *program) serve() *cobra.Command {
	s := &server{
		gen: p.newGen(), web: "127.0.0.1:7077", redis: "127.0.0.1:7078",
		connections: 1024, request: 5 * time.Second, stop: 10 * time.Second,
	}
	cmd, flags := newCommand("serve",
		"Answer for UIDs and numbers over HTTP and the Redis protocol", func(cmd *cobra.Command, _ []string) error {
			if err := s.check(); err != nil {
				return err
			}
			return s.run(cmd.Context())
		})
	flags.Var(addressVar(&s.web), "listen", "address for HTTP, or off")
	flags.Var(addressVar(&s.redis), "resp-listen", "address for the Redis protocol, or off")
	s.store.register(flags)
	flags.Var(textVar(&s.namespace, "NAME"), "namespace", namespaceUsage)
	flags.Var(&s.layout, "layout", layoutUsage)
	flags.Var(value[*int64]{&s.workerID, "N", readID}, "worker-id", "a fixed worker ID, which nobody else may have")
	flags.Var(textVar(&s.state, "FILE"), "state", "file that remembers what was issued under --worker-id")
	flags.StringVar(&s.key, "uid-key", serve.DefaultUIDKey, "key of the Redis protocol that stands for UIDs")
	registerSegmentTable(flags, &s.segment.segments)
	flags.BoolVar(&s.segment.lossy, lossyFlag, false, lossyUsage)
	flags.Var(textVar(&s.tokenFile, "FILE"), "token-file",
		"file with the token that clients show; or put it into "+tokenEnv)
	flags.BoolVar(&s.insecure, "insecure", false, "listen on any address without a token")
	flags.Var(textVar(&s.cert, "FILE"), "tls-cert", "PEM file with the certificate, for both protocols")
	flags.Var(textVar(&s.certKey, "FILE"), "tls-key", "PEM file with its key")
	flags.BoolVar(&s.access, "access-log", false, "write a line of JSON for each request to standard error")
	flags.Var(countVar(&s.connections), "max-conns", "connections of each protocol at once")
	flags.Var(spanVar(&s.request), "request-timeout", "how long a request waits for a UID or a number")
	flags.Var(spanVar(&s.drain), "drain", "how long it still answers when /readyz says no (default not at all)")
	flags.Var(spanVar(&s.stop), "stop-timeout", "how long requests that have begun may take in the end")
	return cmd
}

// check refuses flags that do not go together, and reads the token and the certificate.
func (s *server) check() (err error) {
	switch {
	case s.web == off && s.redis == off:
		return badInput("both --listen and --resp-listen are off")
	case s.workerID != nil && s.state == "":
		return badInput("--worker-id needs --state: " +
			"without a file nothing keeps a UID from being issued again after a restart")
	case s.workerID == nil && s.state != "":
		return badInput("--state is for --worker-id")
	case s.workerID != nil && s.namespace != "":
		return badInput("--worker-id and --namespace exclude each other")
	case (s.cert == "") != (s.certKey == ""):
		return badInput("--tls-cert and --tls-key need each other")
	}
	if err := s.reload(); err != nil {
		return inputError{err}
	}
	for _, address := range []string{s.web, s.redis} {
		if address == off {
			continue
		}
		local, err := serve.CheckListen(address, s.token != nil, s.insecure)
		switch {
		case err != nil:
			return badInput("%w (--token-file or $%s; --insecure)", err, tokenEnv)
		case !local && s.token != nil && s.certificate == nil:
			s.log().Warn("uid: without TLS the token crosses the network in the clear", "address", address)
		}
	}
	return nil
}

// reload reads the token and the certificate, for the first time or again. What cannot be used changes
// nothing.
func (s *server) reload() error {
	text, err := s.tokenText()
	token := new(serve.Token)
	if err == nil && text != "" {
		err = token.Set(text)
	}
	switch {
	case err != nil || s.cert == "":
	case s.certificate == nil:
		s.certificate, err = serve.NewCertificate(s.cert, s.certKey)
	default:
		err = s.certificate.Reload()
	}
	switch {
	case err != nil || text == "":
		return err
	case s.token == nil:
		s.token = token
		return nil
	}
	return s.token.Set(text) // last, when nothing else can fail
}

// tokenText returns the token; "" is for none. A file that is empty holds no token, and is refused.
func (s *server) tokenText() (string, error) {
	if s.tokenFile == "" {
		return s.getenv(tokenEnv), nil
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

func (s *server) run(ctx context.Context) (err error) {
	ctx, stop := untilSignal(ctx)
	defer stop()
	// Before a worker ID is taken: a port in use is to cost none.
	web, redis, err := s.listen(ctx)
	defer closeAll(web, redis)
	if err != nil {
		return err
	}
	st, err := s.open(ctx)
	if err != nil {
		return interrupted(ctx, err)
	}
	defer func() { _ = st.Close() }()
	w, err := s.worker(st)
	if err != nil {
		return interrupted(ctx, err)
	}
	generator, err := cached.NewContext(ctx, w, cached.Config{Layout: s.layout.Layout, Logger: s.log(), Now: s.now})
	if err != nil {
		return interrupted(ctx, s.full(st, err))
	}
	defer func() { err = errors.Join(err, s.store.release(generator.CloseContext)) }()
	segments, err := serve.NewSegments(st.Segments, segment.Config{
		LossyStore: s.segment.lossy, Timeout: s.store.timeout, Logger: s.log(), Now: s.now,
	})
	if err != nil {
		return inputError{err}
	}
	defer func() { err = errors.Join(err, s.store.release(segments.CloseContext)) }()
	cfg, err := s.config(generator, segments, st)
	if err != nil {
		return err
	}
	answers, err := serve.New(cfg)
	if err != nil {
		return inputError{err}
	}
	s.note("%s", s.identity(generator, st))
	s.note("listening on %s", strings.Join(s.addresses(web, redis), " and "))
	return s.serve(ctx, answers, web, redis)
}

// serve answers until a signal.
func (s *server) serve(ctx context.Context, answers *serve.Server, web, redis net.Listener) error {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	ended := make(chan error, 1)
	go func() { ended <- answers.Serve(web, redis) }()
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
		s.note("requests that took longer than --stop-timeout %s were cut off", s.stop)
	}
	return <-ended
}

// again reads the files again, and says what came of it.
func (s *server) again() {
	if err := s.reload(); err != nil {
		s.note("nothing has changed by SIGHUP: %v", err)
		return
	}
	s.note("the certificate and the token were read again")
}

// config is the server's.
func (s *server) config(generator *cached.Generator, segments *serve.Segments,
	st *workerStore) (cfg serve.Config, err error) {
	cfg = serve.Config{
		UIDs: generator, Segments: segments, UIDKey: s.key, Token: s.token, Logger: s.log(), Version: version(),
		Ready:     func() error { return ready(generator) },
		LocalOnly: s.token == nil && !s.insecure,
		Limits:    serve.Limits{Connections: int(min(s.connections, 1<<20)), Request: s.request},
	}
	if s.certificate != nil {
		cfg.TLS = s.certificate.Config()
	}
	if s.access {
		cfg.Access = slog.New(slog.NewJSONHandler(s.stderr, nil))
	}
	if cfg.Metrics, err = exposition(generator); err != nil {
		return cfg, err
	}
	cfg.Page, err = s.page(generator, st)
	return cfg, err
}

// worker returns the worker of this server.
func (s *server) worker(st *workerStore) (uid.Worker, error) {
	if s.workerID == nil {
		return s.gen.worker(st)
	}
	w, err := statefile.New(s.state, worker.FixedID(*s.workerID), statefile.Config{Logger: s.log(), Now: s.now})
	if err != nil {
		return nil, inputError{err}
	}
	return w, nil
}

// listen opens the listeners; nil is one that is off.
func (s *server) listen(ctx context.Context) (web, redis net.Listener, err error) {
	if s.web != off {
		web, err = new(net.ListenConfig).Listen(ctx, "tcp", s.web)
	}
	if s.redis != off && err == nil {
		redis, err = new(net.ListenConfig).Listen(ctx, "tcp", s.redis)
	}
	return web, redis, err
}

func closeAll(all ...net.Listener) {
	for _, l := range all {
		if l != nil {
			_ = l.Close()
		}
	}
}

// addresses are the URLs of the listeners.
func (s *server) addresses(web, redis net.Listener) (all []string) {
	secure := ""
	if s.certificate != nil {
		secure = "s"
	}
	if web != nil {
		all = append(all, "http"+secure+"://"+web.Addr().String())
	}
	if redis != nil {
		all = append(all, "redis"+secure+"://"+redis.Addr().String())
	}
	return all
}
