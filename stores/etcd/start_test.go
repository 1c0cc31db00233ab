package etcd_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/stores/etcd"
	"github.com/uidgen/uid/stores/internal/orders"
)

// A start uses the client's connection, and a client that is closed soon after it has nothing to say.
func TestStartDialsNothing(t *testing.T) {
	s := newServer(t)
	core, logged := observer.New(zap.WarnLevel)
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"unix://" + s.path}, Logger: zap.New(core)})
	require.NoError(t, err)
	g, err := cached.New(etcd.Lease(client, "orders"), cached.Config{})
	require.NoError(t, err)
	require.NoError(t, g.Close())
	require.NoError(t, client.Close())
	require.EqualValues(t, 1, s.conns.Load())
	require.Empty(t, logged.All())
}

func TestPage(t *testing.T) {
	s := newServer(t)
	orders.OnPage(t, s.store(t, etcd.Config{}), etcd.Lease(s.client(t), "orders"))
}
