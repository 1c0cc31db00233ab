// Service is a web service that draws UIDs, as one runs on Kubernetes: it is ready as soon as it can
// issue, and ends in good order.
//
//	UID_LISTEN        the address, :8080 by default
//	UID_DRAIN         how long requests may go on after SIGTERM, 20s by default
//	UID_MYSQL_DSN     leases a worker ID from this database; or else
//	UID_WORKER_ID     is the worker ID, a StatefulSet's ordinal,
//	UID_STATE_FILE    and this file, on a volume, keeps what was issued under it
//
// GET /livez says that the process lives, GET /readyz whether it can issue UIDs. POST /orders
// answers with a new order's ID.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

// run serves until ctx ends, or the generator cannot be made.
func run(ctx context.Context) error {
	drain, err := time.ParseDuration(setting("UID_DRAIN", "20s"))
	if err != nil {
		return fmt.Errorf("UID_DRAIN is not a duration: %w", err)
	}
	listener, err := net.Listen("tcp", setting("UID_LISTEN", ":8080"))
	if err != nil {
		return err
	}
	log.Println("listening on", listener.Addr())

	// Serve at once, so that the probes get an answer while the store is asked for a worker ID.
	var s service
	server := &http.Server{Handler: s.handler(), ReadHeaderTimeout: 5 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()

	uids, err := generator()
	if err != nil {
		return err // the container starts again, later each time
	}
	s.uids.Store(uids)

	select {
	case <-ctx.Done():
		// The order matters: no new requests, then the end of those that run, then the generator.
		log.Println("draining")
		s.draining.Store(true)
		err = within(drain, server.Shutdown)
	case err = <-served:
	}
	return errors.Join(err, within(closing, uids.CloseContext)) // gives the worker ID back, or closes the file
}

// closing is how long the store may take to free the worker ID. Without an answer it is free when the
// lease ends.
const closing = 5 * time.Second

func within(limit time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return do(ctx)
}

// setting returns an environment variable, or what stands for one that is empty.
func setting(name, standard string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return standard
}

type service struct {
	uids     atomic.Pointer[cached.Generator] // nil until there is one
	draining atomic.Bool
}

func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "alive") })
	mux.HandleFunc("GET /readyz", s.ready)
	mux.HandleFunc("POST /orders", s.order)
	return mux
}

// ready draws a UID: nothing else shows as well that one can be drawn.
func (s *service) ready(w http.ResponseWriter, r *http.Request) {
	if s.draining.Load() {
		http.Error(w, "draining", http.StatusServiceUnavailable)
		return
	}
	if _, err := s.draw(r.Context()); err != nil {
		http.Error(w, "no UIDs", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ready")
}

func (s *service) order(w http.ResponseWriter, r *http.Request) {
	id, err := s.draw(r.Context())
	if err != nil {
		log.Println("no ID for an order:", err)
		http.Error(w, "no ID for the order", http.StatusServiceUnavailable)
		return
	}
	// Here the order is written to a database, under its ID. In JSON a UID is a text, which
	// JavaScript does not round.
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(struct {
		ID uid.UID `json:"id"`
	}{id})
}

// draw waits for a UID for less than a probe's timeout of a second.
func (s *service) draw(ctx context.Context) (uid.UID, error) {
	uids := s.uids.Load()
	if uids == nil {
		return 0, errors.New("the generator is not made yet")
	}
	ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	return uids.GetUIDContext(ctx)
}
