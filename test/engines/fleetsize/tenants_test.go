package fleetsize

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/worker/lease"
)

const (
	tenants      = 1000
	tenantWindow = 20 * time.Second // short, so that leases of the dead end soon, and longer than a thousand starts take
)

// A thousand tenants of one process, which is killed and started again.
func TestTenants(t *testing.T) {
	for _, k := range kinds[:2] {
		t.Run(k.name, func(t *testing.T) {
			s := k.start(t)
			j := job{
				Store: s.url(s.addrs), Namespace: "tenants", Leases: tenants, Connections: 16,
				Window: tenantWindow, TTL: tenantWindow + tenantWindow/2, Draw: true,
			}
			j.found(t)
			first := j.launch(t, 1)
			one := first.start()
			require.Less(t, slices.Max(one.IDs), int64(2*tenants), "no more rows than some of the last batch are left over")
			first.All[0].End()

			// Its leases last: the next process has others.
			second := j.launch(t, 1)
			two := second.start()
			require.Zero(t, of(two.IDs, one.IDs), "IDs that are leased to the dead")
			second.All[0].End()
			dead := time.Now()

			// When they have ended, the next one takes them over.
			time.Sleep(time.Until(dead.Add(2*j.TTL + lease.DefaultMaxClockSkew)))
			third := j.launch(t, 1)
			three := third.start()
			require.NotZero(t, of(three.IDs, append(one.IDs, two.IDs...)), "IDs of the dead")
			ended := time.Since(third.began)
			require.GreaterOrEqual(t, len(between(third.end(), true, ended, math.MaxInt64)), tenants, "each is released")
			distinct(t, first, second, third)
			if isFull {
				j.measure(t)
			}
		})
	}
}

// measure logs how long each way of starting takes, and the calls that tenants then make.
func (j job) measure(t *testing.T) {
	for _, j.OneByOne = range []bool{true, false} {
		j.Namespace, j.Window, j.TTL = fmt.Sprint("tenants ", j.OneByOne), 0, 0
		if j.Leases = tenants; j.OneByOne {
			j.Leases = 10
		}
		j.found(t)
		c := j.launch(t, 1)
		c.start()
		if !j.OneByOne {
			time.Sleep(4 * time.Minute)
		}
		calls := c.end()
		t.Logf("%d calls to take", len(between(calls, false, 0, math.MaxInt64)))
		for at := time.Duration(0); at < time.Since(c.began); at += 30 * time.Second {
			t.Logf("after %v: %d changes in half a minute", at, len(between(calls, true, at, at+30*time.Second)))
		}
		distinct(t, c)
	}
}

// distinct checks that no UID of any run came twice.
func distinct(t *testing.T, runs ...*crowd) {
	t.Helper()
	seen := map[int64]bool{}
	for _, c := range runs {
		for _, s := range c.says(c.All[0]) {
			for _, u := range s.UIDs {
				require.False(t, seen[u], "UID %d came twice", u)
				seen[u] = true
			}
		}
	}
	t.Logf("%d UIDs, none twice", len(seen))
}

// of returns how many IDs of one are among those of another.
func of(ids, others []int64) (n int) {
	for _, id := range ids {
		if slices.Contains(others, id) {
			n++
		}
	}
	return n
}
