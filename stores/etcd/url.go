package etcd

import (
	"context"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/uidgen/uid/internal/scheme"
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
	if _, err := (Config{ClockError: off}).withDefaults(); err != nil {
		return nil, u.Bad("has a clockerror that is above an hour, or not of whole microseconds")
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
		// A server that stands still, or is cut off, is left for another one while a call waits for it.
		DialKeepAliveTime: 10 * time.Second, DialKeepAliveTimeout: 5 * time.Second,
	}
	for _, host := range u.Hosts {
		cfg.Endpoints = append(cfg.Endpoints, protocol+host)
	}
	prefix := strings.Trim(u.Path, "/")
	if prefix != "" {
		prefix += "/"
	}
	client, err := dial(ctx, cfg)
	if err != nil {
		return nil, err
	}
	store, err := New(client, Config{Prefix: prefix, ClockError: off})
	if err != nil {
		_ = client.Close()
		return nil, u.Bad("has a path that cannot be used")
	}
	return &scheme.Store{Registry: store.Registry(), Segments: store.Segments(), Close: client.Close}, nil
}

// dial returns a client. One with a user asks for a token before, and does not say why it reaches nobody.
func dial(ctx context.Context, cfg clientv3.Config) (*clientv3.Client, error) {
	if cfg.Username != "" {
		plain := cfg
		plain.Username, plain.Password = "", ""
		client, err := clientv3.New(plain)
		if err == nil {
			err = reach(ctx, client, "connect")
			_ = client.Close() // nothing was done with it
		}
		if err != nil {
			return nil, err
		}
	}
	client, err := clientv3.New(cfg)
	if err != nil {
		return nil, failed(ctx, "connect", err)
	}
	return client, nil
}
