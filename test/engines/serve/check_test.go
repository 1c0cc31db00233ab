package serve

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestJudge(t *testing.T) {
	all := func(change func([]*client)) verdict {
		var clients []*client
		next := int64(0)
		for range webClients + uidClients {
			next += 2
			clients = append(clients, &client{uids: []int64{next - 1, next}, failures: map[string]int{"x": 1}})
		}
		clients = append(clients, &client{numbers: []int64{3, 1, 2}})
		change(clients)
		return judge(clients)
	}
	v := all(func([]*client) {})
	require.NoError(t, v.err(2*uidClients, 3))
	require.Equal(t, 2*webClients, v.overWeb)
	require.Equal(t, webClients+uidClients, v.failures["x"])
	require.ErrorContains(t, v.err(2*uidClients+1, 3), "want 9")
	require.ErrorContains(t, v.err(1, 4), "and 3 numbers were drawn")
	for says, change := range map[string]func([]*client){
		"1 of 136 UIDs and 0 of 3 numbers come twice":     func(c []*client) { c[0].uids[0] = 135 },
		"0 of 136 UIDs and 2 of 3 numbers come twice":     func(c []*client) { c[len(c)-1].numbers = []int64{5, 5, 5} },
		"neither a number nor an error":                   func(c []*client) { c[3].read("/v1/uid", 1, []byte(`{"uid":"12`)) },
		"/v1/uids?n=2: <nil>, 1 UIDs: {\"uids\":[\"1\"]}": func(c []*client) { c[3].read("/v1/uids?n=2", 2, []byte(`{"uids":["1"]}`)) },
		"/v1/uid: 0":             func(c []*client) { c[3].read("/v1/uid", 1, []byte(`{"uid":"0"}`)) },
		"1 clients drew nothing": func(c []*client) { c[0].uids = nil },
	} {
		require.ErrorContains(t, all(change).err(1, 1), says)
	}
}

func TestRender(t *testing.T) {
	w := way{name: "x", uids: 10}
	for i := range 1001 {
		w.took = append(w.took, time.Duration(1000-i)*time.Microsecond)
	}
	require.Contains(t, render([]way{w}), "\n| x | 500 µs | 990 µs | 999 µs | 50.0 µs |\n")
	require.Equal(t, []string{"99.0 ns", "0.5 ns", "1.5 µs", "2.0 ms"}, []string{short(99, 1), short(99, 198), short(1500, 1), short(2*time.Millisecond, 1)})
}
