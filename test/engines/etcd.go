package engines

import (
	"context"
	"io"
	"net/url"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/uidgen/uid/stores/etcd"
	"github.com/uidgen/uid/test/engines/cluster"
)

// Etcd is a cluster of three nodes of etcd.
var Etcd = Engine{Name: "etcd", Start: startEtcd}

func startEtcd() (*Deployment, error) {
	c, err := cluster.StartEtcd("etcd", 3)
	if err != nil {
		return nil, err
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: c.Addrs(), DialTimeout: time.Second, Logger: zap.NewNop()})
	if err != nil {
		c.Close()
		return nil, err
	}
	// of asks a node that answers.
	of := func(node int) (*clientv3.StatusResponse, error) {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		return client.Status(ctx, c.Addrs()[node])
	}
	d := several("etcd", c.Nodes)
	d.Close = func() { _ = client.Close(); c.Close() }
	d.Version = func() (string, error) {
		s, err := of(0)
		if err != nil {
			return "", err
		}
		return s.Version, nil
	}
	d.Leader = func() (int, error) {
		for i := range c.Nodes {
			if s, err := of(i); err == nil && s.Leader == s.Header.MemberId {
				return i, nil
			}
		}
		return 0, nil // an election is on
	}
	return d, nil
}

func openEtcd(u *url.URL) (Store, io.Closer, error) {
	c, err := clientv3.New(clientv3.Config{
		Endpoints: strings.Split(u.Host, ","), Logger: zap.NewNop(),
		DialTimeout: time.Second, DialKeepAliveTime: time.Second, DialKeepAliveTimeout: time.Second,
	})
	if err != nil {
		return Store{}, nil, err
	}
	s, err := etcd.New(c, etcd.Config{ClockError: clockError})
	if err != nil {
		_ = c.Close()
		return Store{}, nil, err
	}
	return Store{s.Registry(), s.Segments()}, c, nil
}
