package kubernetes

import (
	"context"
	"os"
	"time"

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
	cfg := Config{TokenFile: u.Params.Get("token-file"), Namespace: u.Path, ClockError: off}
	switch {
	case off > maxClockError || off%time.Microsecond != 0:
		return nil, u.Bad("has a clockerror that is above an hour, or not of whole microseconds")
	case u.User+u.Password != "":
		return nil, u.Bad("has a user or password, and the API server wants a token (token-file)")
	case len(u.Hosts) > 1:
		return nil, u.Bad("has several hosts")
	case len(u.Hosts) == 1 && !label.MatchString(u.Path):
		return nil, u.Bad("has a path that is no name of a Kubernetes namespace")
	case len(u.Hosts) == 1:
		cfg.URL = "https://" + u.Hosts[0]
	}
	// The errors of New would repeat the names of these files.
	if ca := u.Params.Get("ca"); ca != "" {
		if cfg.Client, err = client(ca); err != nil {
			return nil, u.Bad("has a ca that names no PEM file with a certificate")
		}
	}
	if cfg.TokenFile != "" {
		if _, err := os.ReadFile(cfg.TokenFile); err != nil {
			return nil, u.Bad("has a token-file that cannot be read")
		}
	}
	store, err := New(cfg)
	if err != nil {
		return nil, err
	}
	return &scheme.Store{Registry: store.Registry(), Segments: store.Segments(), Close: func() error { return nil }}, nil
}
