// Service is a web service that draws UIDs, as one runs on Kubernetes: it is ready as soon as it can
// issue, and ends in good order.
//
//	UID_LISTEN        the address, :8080 by default
//	UID_DRAIN         how long requests may go on after SIGTERM, 20s by default
//	UID_MYSQL_DSN     leases a worker ID from this database; or else
//	UID_WORKER_ID     is the worker ID, a StatefulSet's ordinal,
//	UID_STATE_FILE    and this file, on a volume, keeps what was issued under it; without any of these
//	                  it leases a worker ID from the cluster
//
// GET /livez says that the process lives, GET /readyz whether it can issue UIDs. POST /orders
// answers with a new order's ID.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
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
