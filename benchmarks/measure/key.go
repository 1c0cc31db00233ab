package measure

import (
	"fmt"
	"log/slog"

	gofrs "github.com/gofrs/uuid/v5"
	"github.com/google/uuid"
	"github.com/jaevor/go-nanoid"
	"github.com/oklog/ulid/v2"
	"github.com/rs/xid"
	"github.com/segmentio/ksuid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/worker"
)

// A keyKind is a kind of primary key.
type keyKind struct {
	name   string
	column string // its SQL type
	// open returns next, which returns the next key as an SQL literal and may be called by
	// any number of goroutines at once, and end, which closes the source.
	open func() (next func() (string, error), end func(), err error)
}

func stateless(next func() (string, error)) func() (func() (string, error), func(), error) {
	return func() (func() (string, error), func(), error) { return next, func() {}, nil }
}

func openUIDs() (*cached.Generator, error) {
	return cached.New(worker.Static(7), cached.Config{MaxLead: cached.Unbounded, Logger: slog.New(slog.DiscardHandler)})
}

func literal(u uid.UID, err error) (string, error) { return u.String(), err }

// keyKinds stores each kind of key in the smallest type that holds it, as an InnoDB expert
// would, and two of them as text, too, as many people do.
var keyKinds = []keyKind{
	{"auto-increment", "BIGINT AUTO_INCREMENT", stateless(func() (string, error) { return "NULL", nil })},
	{"uid", "BIGINT", func() (func() (string, error), func(), error) {
		g, err := openUIDs()
		if err != nil {
			return nil, nil, err
		}
		return func() (string, error) { return literal(g.GetUID()) }, func() { g.Close() }, nil
	}},
	{"uid-unordered", "BIGINT", func() (func() (string, error), func(), error) {
		g, err := openUIDs()
		if err != nil {
			return nil, nil, err
		}
		u := g.Unordered()
		return func() (string, error) { return literal(u.GetUID()) }, func() { g.Close() }, nil
	}},
	{"uuid-v4", "BINARY(16)", stateless(func() (string, error) {
		u, err := uuid.NewRandom()
		return binary(u[:]), err
	})},
	{"uuid-v4-text", "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin", stateless(func() (string, error) {
		u, err := uuid.NewRandom()
		return "'" + u.String() + "'", err
	})},
	{"uuid-v7", "BINARY(16)", stateless(func() (string, error) {
		u, err := gofrs.NewV7()
		return binary(u[:]), err
	})},
	{"ulid", "BINARY(16)", stateless(func() (string, error) {
		u := ulid.Make()
		return binary(u[:]), nil
	})},
	{"xid", "BINARY(12)", stateless(func() (string, error) {
		u := xid.New()
		return binary(u[:]), nil
	})},
	{"ksuid", "BINARY(20)", stateless(func() (string, error) {
		u, err := ksuid.NewRandom()
		return binary(u[:]), err
	})},
	{"nanoid", "CHAR(21) CHARACTER SET ascii COLLATE ascii_bin", func() (func() (string, error), func(), error) {
		next, err := nanoid.Standard(21)
		if err != nil {
			return nil, nil, err
		}
		return func() (string, error) { return "'" + next() + "'", nil }, func() {}, nil
	}},
}

func binary(b []byte) string { return fmt.Sprintf("X'%x'", b) }
