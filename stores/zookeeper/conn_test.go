package zookeeper

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"
)

// A request that goes on when its call has ended writes nothing that the call returns. The race detector tells.
func TestRequestsOutliveCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(time.Now)
		conn := f.connect(false)
		conn.delay = time.Second // requests end when calls do
		d := stored(t, f, conn, Config{}).Driver().(*driver)
		for name, call := range map[string]func(context.Context) error{
			"children": func(ctx context.Context) error { _, err := d.children(ctx, "/uid"); return err },
			"make":     func(ctx context.Context) error { return d.make(ctx, "/uid") },
			"multi": func(ctx context.Context) error {
				return d.multi(ctx, "/uid", &zk.CheckVersionRequest{Path: "/uid", Version: 7})
			},
		} {
			for range 20 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				if err := call(ctx); err != nil && err != errRaced {
					require.ErrorIs(t, err, context.DeadlineExceeded, name)
				}
				cancel()
			}
		}
	})
}
