package main

import (
	"context"
	"fmt"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/uidgen/uid/stores/etcd"
)

var etcdEngine = engine{
	schemes: []string{"etcd"},
	form:    "etcd://user:password@host:2379,host:2379/prefix",
	secure:  "?cacert=ca.pem",
	port:    "2379",
	params:  append([]string{"clockerror"}, tlsParams...),
	open: func(ctx context.Context, u *storeURL, s settings) (*workerStore, error) {
		off, err := u.duration("clockerror")
		if err != nil {
			return nil, err
		}
		secure, err := u.tls()
		if err != nil {
			return nil, err
		}
		scheme := "http://"
		if secure != nil {
			scheme = "https://"
		}
		cfg := clientv3.Config{Username: u.user, Password: u.password, TLS: secure, DialTimeout: s.timeout, Context: ctx, Logger: zap.NewNop()}
		for _, host := range u.hosts {
			cfg.Endpoints = append(cfg.Endpoints, scheme+host)
		}
		prefix := strings.Trim(u.path, "/")
		if prefix != "" {
			prefix += "/"
		}
		client, err := clientv3.New(cfg) // asks for a token, if there is a user
		if err != nil {
			return nil, fmt.Errorf("connect to etcd: %w", err)
		}
		store, err := etcd.New(client, etcd.Config{Prefix: prefix, ClockError: off})
		if err != nil {
			_ = client.Close()
			return nil, u.bad("has a path that cannot be used")
		}
		return &workerStore{all: store, segments: store.Segments(), close: func() { _ = client.Close() }}, nil
	},
}
