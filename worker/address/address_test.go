package address

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
)

func addresses(pairs ...string) (all []hostAddress) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, hostAddress{pairs[i], netip.MustParsePrefix(pairs[i+1])})
	}
	return all
}

func TestID(t *testing.T) {
	two := addresses("eth0", "10.1.2.3/16", "docker0", "172.17.0.1/16")
	for _, c := range []struct {
		name string
		all  []hostAddress
		max  int64
		want int64
	}{
		{"", addresses("eth0", "10.1.2.3/22"), 1<<22 - 1, 1<<16 | 2<<8 | 3},
		{"", addresses("eth0", "10.255.2.3/10"), 1<<22 - 1, 0x3f0203},
		{"", addresses("eth0", "10.1.2.3/24"), 1<<8 - 1, 3},
		{"", addresses("eth0", "10.1.2.3/30"), 1<<10 - 1, 2<<8 | 3},
		{"", addresses("eth0", "203.0.113.5/24", "eth1", "192.168.7.9/24"), 1<<10 - 1, 3<<8 | 9},
		{"eth0", addresses("eth0", "203.0.113.5/24", "eth1", "192.168.7.9/24"), 1<<10 - 1, 1<<8 | 5},
		{"docker0", two, 1<<22 - 1, 0x110001},
		{"eth0", two, 1<<40 - 1, 0x0a010203},
	} {
		id, err := addressID(c.name, c.all, c.max)
		require.NoError(t, err)
		require.Equal(t, c.want, id, "%v", c)
	}
	for _, c := range []struct {
		name string
		all  []hostAddress
		max  int64
		err  error
		says []string
	}{
		{"", two, 1<<22 - 1, uid.ErrConfig,
			[]string{"more than one", "has to be named", "10.1.2.3/16 (eth0)", "172.17.0.1/16 (docker0)"}},
		{"eth0", addresses("eth0", "10.1.2.3/24", "eth0", "10.1.2.4/24"), 1<<22 - 1, uid.ErrConfig,
			[]string{"more than one", "10.1.2.4/24"}},
		{"", nil, 1<<22 - 1, uid.ErrConfig, []string{"no private IPv4 address", "none"}},
		{"", addresses("eth0", "203.0.113.5/24"), 1<<22 - 1, uid.ErrConfig, []string{"no private", "203.0.113.5/24"}},
		{"eth7", two, 1<<22 - 1, uid.ErrConfig, []string{`"eth7"`, "10.1.2.3/16 (eth0)"}},
		{"", addresses("eth0", "10.1.2.3/16"), 1<<10 - 1, uid.ErrRange, []string{"65536 addresses", "1024 worker IDs"}},
		{"", addresses("eth0", "10.1.2.3/21"), 1<<10 - 1, uid.ErrRange, []string{"2048 addresses"}},
		{"", addresses("eth0", "10.1.2.3/24"), 999, uid.ErrRange, []string{"999"}},
		{"", addresses("eth0", "10.1.2.3/31"), 1<<10 - 1, uid.ErrRange, []string{"10.1.2.3/31", "how many hosts"}},
	} {
		_, err := addressID(c.name, c.all, c.max)
		logtest.Error(t, err, c.err, c.says...)
	}
}

// What the operating system lists can be read, loopback aside.
func TestHostAddresses(t *testing.T) {
	all, err := hostAddresses()
	require.NoError(t, err)
	for _, a := range all {
		require.True(t, a.Addr().Is4())
		require.False(t, a.Addr().IsLoopback())
		require.NotEmpty(t, a.networkInterface)
	}
	_, err = ID("there is no such interface")(1<<22 - 1)
	require.ErrorIs(t, err, uid.ErrConfig)
}
