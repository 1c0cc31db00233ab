package zookeeper

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/uidgen/uid/internal/scheme"
	"github.com/uidgen/uid/worker"
)

// Package connect opens zookeeper:// URLs. They have digest authentication: where a URL has a user, it alone
// may touch the nodes that are made.
func init() {
	scheme.Register(scheme.Driver{
		Schemes: []string{"zookeeper"},
		Form:    "zookeeper://user:password@host:2181,host:2181/path",
		Secure:  "?cacert=ca.pem",
		Port:    "2181",
		Params:  append([]string{"clockerror"}, scheme.TLSParams...),
		Open:    openURL,
	})
}

func openURL(ctx context.Context, u *scheme.URL, o scheme.Options) (*scheme.Store, error) {
	off, err := u.Duration("clockerror")
	if err != nil {
		return nil, err
	}
	if off > maxClockError {
		return nil, u.Bad("has a clockerror that is above an hour")
	}
	secure, err := u.TLS()
	if err != nil {
		return nil, err
	}
	cfg := Config{ClockError: off}
	if path := strings.Trim(u.Path, "/"); path != "" {
		cfg.Root = "/" + path
	}
	if u.User != "" {
		cfg.ACL = zk.AuthACL(zk.PermAll)
	}
	conn, _, err := zk.Connect(u.Hosts, session, zk.WithLogger(silent{}), zk.WithLogInfo(false),
		zk.WithDialer(dialer(secure)))
	if err != nil {
		return nil, fmt.Errorf("connect to ZooKeeper: %w", err)
	}
	store, err := New(conn, cfg)
	if err != nil {
		conn.Close()
		return nil, u.Bad("has a path that cannot be used")
	}
	if u.User != "" {
		if err := authenticate(ctx, conn, u.User+":"+u.Password, o.Timeout); err != nil {
			conn.Close()
			return nil, err
		}
	}
	return &scheme.Store{Registry: store.Registry(), Segments: store.Segments(),
		Close: func() error { conn.Close(); return nil }}, nil
}

// session is how long the servers keep the session of a program that has died.
const session = 10 * time.Second

func dialer(secure *tls.Config) zk.Dialer {
	return func(network, address string, timeout time.Duration) (net.Conn, error) {
		d := &net.Dialer{Timeout: timeout}
		if secure == nil {
			return d.Dial(network, address)
		}
		return tls.DialWithDialer(d, network, address, secure)
	}
}

// authenticate tells the servers the user, once one of them can be reached.
func authenticate(ctx context.Context, conn *zk.Conn, credentials string, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var err error
	if together(ctx, func() { err = conn.AddAuth("digest", []byte(credentials)) }) != nil {
		return worker.Unreachable(errors.New("zookeeper: connect: no server answers"))
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, zk.ErrNoServer):
		return worker.Unreachable(fmt.Errorf("zookeeper: connect: %w", err))
	}
	return failure("authenticate for", "/", err)
}

// silent is a logger of the client, which would write to standard error.
type silent struct{}

func (silent) Printf(string, ...any) {}
