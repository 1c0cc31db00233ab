package kit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/proxy"
)

// NewProxy returns a proxy for the target. It ends with the test.
func NewProxy(t testing.TB, target string) *proxy.Proxy {
	t.Helper()
	return Listen(t, "127.0.0.1:0", target)
}

// Listen is NewProxy at an address.
func Listen(t testing.TB, addr, target string) *proxy.Proxy {
	t.Helper()
	p, err := proxy.Listen(addr, target)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}
