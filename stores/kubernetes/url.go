package kubernetes

import (
	"context"
	"os"

	"github.com/uidgen/uid/internal/scheme"
)

// Package connect opens kubernetes:// URLs.
func init() {
	scheme.Register(scheme.Driver{
		Schemes: []string{"kubernetes"},
		Form:    "kubernetes:// or kubernetes://host:6443/namespace",
		Secure:  "?ca=ca.pem&token-file=token",
		Port:    "443",
		Inside:  true,
		Params:  []string{"ca", "token-file", "clockerror"},
		Open:    openURL,
	})
}

func openURL(_ context.Context, u *scheme.URL, _ scheme.Options) (*scheme.Store, error) {
	off, err := u.Duration("clockerror")
	if err != nil {
		return nil, err
	}
	if u.User+u.Password != "" || len(u.Hosts) > 1 {
		return nil, u.Bad("has a user, a password or several hosts; a token comes from token-file")
	}
	cfg := Config{CAFile: u.Params.Get("ca"), TokenFile: u.Params.Get("token-file"), Namespace: u.Path, ClockError: off}
	if len(u.Hosts) > 0 {
		cfg.URL = "https://" + u.Hosts[0]
	}
	// A request would repeat the name, which may be the token itself.
	if _, err := os.ReadFile(cfg.TokenFile); cfg.TokenFile != "" && err != nil {
		return nil, u.Bad("has a token-file that cannot be read")
	}
	s, err := New(cfg)
	if err != nil {
		return nil, err
	}
	return &scheme.Store{Registry: s.Registry(), Segments: s.Segments(), Close: func() error { return nil }}, nil
}
