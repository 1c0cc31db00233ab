package serve

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/server"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/fake"
)

// A certificate that cannot be read again leaves the token as it was.
func TestServeReloadFails(t *testing.T) {
	const token = "correct-horse-battery"
	p := &cli.Program{Getenv: func(string) string { return "another-horse-battery" }}
	s := &serve{p: p, cert: "nosuch", certificate: new(server.Certificate)}
	s.cfg.Token = new(server.Token)
	require.NoError(t, s.cfg.Token.Set(token))
	require.ErrorIs(t, s.reload(), uid.ErrConfig)
	require.True(t, s.cfg.Token.Is(token))
}

// /readyz says what the generator's health says.
func TestReady(t *testing.T) {
	require.NoError(t, ready(fake.Reporter{Ready: true}))
	down := health.Reason{Code: "no_reservation", Level: "error", Text: "the store is down"}
	err := ready(fake.Reporter{Reasons: []health.Reason{down}})
	require.ErrorIs(t, err, uid.ErrNoReservation)
	require.ErrorContains(t, err, "not ready: the store is down")
}
