package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// All that is said at once arrives at once, later and in order; nothing is lost when one side
// ends the connection.
func TestLatency(t *testing.T) {
	const latency, lines = 50 * time.Millisecond, 1000
	e := newEcho(t, "server")
	p, err := Listen("127.0.0.1:0", e.addr)
	require.NoError(t, err)
	defer p.Close()
	p.Latency(latency)
	c, err := net.Dial("tcp", p.Addr())
	require.NoError(t, err)
	defer c.Close()
	began := time.Now()
	go func() {
		for i := range lines {
			fmt.Fprintln(c, i)
			if i%10 == 0 {
				time.Sleep(time.Millisecond) // so that they are not one message
			}
		}
		fmt.Fprintln(c, "quit")
	}()
	in := bufio.NewReader(c)
	for i := range lines {
		got, err := in.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("server %d\n", i), got)
		require.GreaterOrEqual(t, time.Since(began), 2*latency)
	}
	rest, err := io.ReadAll(in)
	require.NoError(t, err)
	require.Equal(t, "bye\n", string(rest))
	require.Less(t, time.Since(began), lines/10*latency, "one after another it would take longer")

	to, from := p.Traffic()
	require.EqualValues(t, 10*2+90*3+900*4+5, to)
	require.EqualValues(t, 10*9+90*10+900*11+4, from)
}

// A connection that is cut loses what is on its way.
func TestLatencyCut(t *testing.T) {
	e := newEcho(t, "server")
	p, err := Listen("127.0.0.1:0", e.addr)
	require.NoError(t, err)
	defer p.Close()
	p.Latency(time.Hour)
	c, err := net.Dial("tcp", p.Addr())
	require.NoError(t, err)
	defer c.Close()
	fmt.Fprintln(c, "hello")
	for to, _ := p.Traffic(); to == 0; to, _ = p.Traffic() {
		time.Sleep(time.Millisecond)
	}
	p.Cut()
	_, err = io.ReadAll(c)
	require.Error(t, err)
}
