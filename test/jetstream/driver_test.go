package jetstream

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/drivertest"
)

// The suite of drivers on a server within the test.
func TestDriver(t *testing.T) {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true,
		StoreDir: t.TempDir(), NoSigs: true})
	require.NoError(t, err)
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	require.True(t, s.ReadyForConnections(time.Minute))
	var buckets atomic.Int64
	drivertest.Run(t, drivertest.Config{Histories: 10}, func(t *testing.T) drivertest.Subject {
		name := fmt.Sprint("uid", buckets.Add(1))
		open := func() (stores.Driver, error) {
			conn, err := nats.Connect(s.ClientURL())
			require.NoError(t, err)
			t.Cleanup(conn.Close)
			js, err := jetstream.New(conn)
			require.NoError(t, err)
			bucket, err := js.CreateOrUpdateKeyValue(context.Background(), jetstream.KeyValueConfig{Bucket: name})
			return Driver{bucket, time.Second}, err
		}
		return drivertest.Subject{Open: open, Remove: func(key string) error {
			d, err := open()
			if err != nil {
				return err
			}
			return remove(d.(Driver), key)
		}}
	})
}

// remove removes a key by hand.
func remove(d Driver, key string) error {
	texts, revision, err := d.get(context.Background(), place(key))
	if err != nil {
		return err
	}
	delete(texts, key)
	value, err := json.Marshal(texts)
	if err != nil {
		return err
	}
	_, err = d.Bucket.Update(context.Background(), place(key), value, revision)
	return err
}
