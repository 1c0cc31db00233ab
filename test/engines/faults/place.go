package main

import (
	"context"
	"encoding/json"
	"io"

	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker/lease"
)

// A place is a namespace of a store, as processes get it.
type place struct{ URL, Namespace string }

func (p place) text() string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// openPlace is what the processes of a crew open.
func openPlace(ctx context.Context, text string) (lease.Store, io.Closer, error) {
	var p place
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return nil, nil, err
	}
	s, c, err := engines.Open(ctx, p.URL)
	if err != nil {
		return nil, nil, err
	}
	l, err := s.Namespace(p.Namespace)
	return l, c, err
}
