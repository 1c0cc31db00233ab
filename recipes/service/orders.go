package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
)

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
