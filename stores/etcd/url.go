package etcd

import (
	"context"
	"fmt"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/uidgen/uid/connect/scheme"
)

// Package connect opens etcd:// URLs.
func init() {
	scheme.Register(scheme.Driver{
		Schemes: []string{"etcd"},
		Form:    "etcd://user:password@host:2379,host:2379/prefix",
		Secure:  "?cacert=ca.pem",
		Port:    "2379",
		Params:  append([]string{"clockerror"}, scheme.TLSParams...),
		Open:    openURL,
	})
}

func openURL(ctx context.Context, u *scheme.URL, o scheme.Options) (*scheme.Store, error) {
	off, err := u.Duration("clockerror")
	if err != nil {
		return nil, err
	}
	secure, err := u.TLS()
	if err != nil {
		return nil, err
	}
	protocol := "http://"
	if secure != nil {
		protocol = "https://"
	}
	cfg := clientv3.Config{
		Username: u.User, Password: u.Password, TLS: secure, DialTimeout: o.Timeout, Logger: zap.NewNop(),
		Context: context.WithoutCancel(ctx), // the client outlives a start
	}
	for _, host := range u.Hosts {
		cfg.Endpoints = append(cfg.Endpoints, protocol+host)
	}
	prefix := strings.Trim(u.Path, "/")
	if prefix != "" {
		prefix += "/"
	}
	client, err := clientv3.New(cfg) // asks for a token, if there is a user
	if err != nil {
		return nil, fmt.Errorf("connect to etcd: %w", err)
	}
	store, err := New(client, Config{Prefix: prefix, ClockError: off})
	if err != nil {
		_ = client.Close()
		return nil, u.Bad("has a path that cannot be used")
	}
	return &scheme.Store{Registry: store, Segments: store.Segments(), Close: client.Close}, nil
}
