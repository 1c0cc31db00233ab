package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/uidgen/uid/stores/zookeeper"
)

// zooKeeper has digest authentication: where a URL has a user, it alone may touch the nodes that
// are made.
var zooKeeper = engine{
	schemes: []string{"zookeeper"},
	form:    "zookeeper://user:password@host:2181,host:2181/path",
	secure:  "?cacert=ca.pem",
	port:    "2181",
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
		cfg := zookeeper.Config{ClockError: off}
		if path := strings.Trim(u.path, "/"); path != "" {
			cfg.Root = "/" + path
		}
		if u.user != "" {
			cfg.ACL = zk.AuthACL(zk.PermAll)
		}
		conn, _, err := zk.Connect(u.hosts, zkSession, zk.WithLogger(silentZK{}), zk.WithLogInfo(false), zk.WithDialer(zkDialer(secure)))
		if err != nil {
			return nil, fmt.Errorf("connect to ZooKeeper: %w", err)
		}
		store, err := zookeeper.New(conn, cfg)
		if err != nil {
			conn.Close()
			return nil, u.bad("has a path that cannot be used")
		}
		if u.user != "" {
			if err := authenticate(ctx, conn, u.user+":"+u.password, s.timeout); err != nil {
				return nil, err
			}
		}
		return &workerStore{all: store, segments: store.Segments(), close: conn.Close}, nil
	},
}

// zkSession is how long the servers keep the session of a command that has died.
const zkSession = 10 * time.Second

func zkDialer(secure *tls.Config) zk.Dialer {
	return func(network, address string, timeout time.Duration) (net.Conn, error) {
		d := &net.Dialer{Timeout: timeout}
		if secure == nil {
			return d.Dial(network, address)
		}
		return tls.DialWithDialer(d, network, address, secure)
	}
}

// authenticate tells the servers who asks, once one of them can be reached. It closes the
// connection when that fails.
func authenticate(ctx context.Context, conn *zk.Conn, credentials string, timeout time.Duration) error {
	done := make(chan error, 1)
	go func() { done <- conn.AddAuth("digest", []byte(credentials)) }()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = errors.New("no server answers")
	}
	if err != nil {
		conn.Close()
		return fmt.Errorf("connect to ZooKeeper: %w", err)
	}
	return nil
}

// silentZK is a logger of the client, which would write to standard error.
type silentZK struct{}

func (silentZK) Printf(string, ...any) {}
