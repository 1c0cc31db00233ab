package etcd_test

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/stores/etcd"
)

// A start on a cluster that is not there says why, and does not wait until the time is up.
func TestNobodyThere(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"http://" + address}, Logger: zap.NewNop()})
	require.NoError(t, err)
	defer client.Close()
	_, err = cached.New(etcd.Lease(client, "orders"), cached.Config{})
	require.ErrorContains(t, err, "gave up after ")
	require.ErrorContains(t, err, "connection refused")
}
