package cluster

import (
	"io"
	"net"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
)

// A recorder is a test whose output is kept.
type recorder struct {
	testing.TB
	text strings.Builder
	ends []func()
}

func (r *recorder) Output() io.Writer { return &r.text }
func (r *recorder) Cleanup(f func())  { r.ends = append(r.ends, f) }

func (r *recorder) end() {
	for len(r.ends) > 0 {
		last := r.ends[len(r.ends)-1]
		r.ends = r.ends[:len(r.ends)-1]
		last()
	}
}

// What the driver logs of a test's connections is the test's, as long as it runs.
func TestDriverLog(t *testing.T) {
	hangsUp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer hangsUp.Close()
	go func() {
		for conn, err := hangsUp.Accept(); err == nil; conn, err = hangsUp.Accept() {
			_ = conn.Close()
		}
	}()
	s := &MySQL{root: *mysql.NewConfig()}
	s.root.Net, s.root.Addr = "tcp", hangsUp.Addr().String()
	r := &recorder{TB: t}
	db := s.Open(r, "")
	require.Error(t, db.Ping())
	logged := r.text.String()
	require.Regexp(t, `^(\[mysql\] packets.go:.*\n)+$`, logged)

	log := Log(r)
	log.Print("one ", "line")
	require.Equal(t, logged+"[mysql] one line\n", r.text.String())
	r.end()
	log.Print("too late")
	require.Equal(t, logged+"[mysql] one line\n", r.text.String())
}
