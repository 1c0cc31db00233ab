package server

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cmd/uid/internal/clitest"
)

// asks is what a client says to draw over each protocol, with the token; it keeps the connection.
var asks = [2]string{
	raw("GET", "/v1/uid", "Authorization: Bearer "+secret), command("AUTH", secret) + command("INCR", "uid"),
}

// A caller is a client's side of a connection.
type caller struct {
	net.Conn
	in *bufio.Reader
}

func call(t testing.TB, l *pipeListener) caller {
	t.Helper()
	c := l.dial(t)
	return caller{c, bufio.NewReader(c)}
}

// say writes a text, and reads answers until one is or has the last line.
func (c caller) say(t testing.TB, text, last string) string {
	t.Helper()
	go func() { _, _ = c.Write([]byte(text)) }()
	said := ""
	for {
		line, err := c.in.ReadString('\n')
		said += line
		require.NoError(t, err, "%q: %q", text, said)
		if strings.Contains(line, last) {
			return said
		}
	}
}

// draws asks for the n-th UID.
func (c caller) draws(t testing.TB, protocol, n int) {
	t.Helper()
	c.say(t, asks[protocol], [2]string{fmt.Sprintf(`{"uid":"%d"}`, n), fmt.Sprintf(":%d\r\n", n)}[protocol])
}

// ends waits for the end of the connection, and returns how long that took.
func (c caller) ends(t testing.TB) time.Duration {
	t.Helper()
	began := time.Now()
	_, err := io.Copy(io.Discard, c.in)
	require.NoError(t, err)
	return time.Since(began)
}

func withLog(log *bytes.Buffer) func(*Config) {
	return func(c *Config) { c.Logger = slog.New(slog.NewTextHandler(log, nil)) }
}

// open is how many connections of a protocol there are.
func (h *house) open(protocol int) float64 {
	synctest.Wait()
	return testutil.ToFloat64(h.metrics.connections[protocol].open)
}

// A connection that does not show the token ends after ten seconds, whatever else it says; one that does stays.
func TestStrangers(t *testing.T) {
	wrong := [2]string{raw("GET", "/v1/uid", "Authorization: Bearer wrong"), command("AUTH", "wrong")}
	refused := [2]string{"show the token", "-WRONGPASS"}
	for protocol, texts := range [2][]string{
		{"", raw("GET", "/healthz"), raw("GET", "/v1/uid"), wrong[overHTTP], "GET /v1/uid HTTP/1.1\r\nHost: loc"},
		{"", wrong[overRESP], command("INCR", "uid"), "*2\r\n$4\r\nAU"},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := newHouse(withToken)
			l := h.serving(t)[protocol]
			client := call(t, l)
			client.draws(t, protocol, 1)
			for _, text := range texts {
				c := call(t, l)
				go func() { _, _ = c.Write([]byte(text)) }()
				require.LessOrEqual(t, c.ends(t), 10*time.Second, text)
			}
			require.EqualValues(t, 1, h.open(protocol))
			client.draws(t, protocol, 2)

			c := call(t, l)
			c.say(t, wrong[protocol], refused[protocol])
			time.Sleep(9 * time.Second) // of fake time, as all that follows
			c.say(t, wrong[protocol], refused[protocol])
			require.Equal(t, time.Second, c.ends(t), "a second wrong one gives no more time")
			client.draws(t, protocol, 3)
			time.Sleep(time.Minute)
			client.draws(t, protocol, 4)
		})
	}
}

// A full server closes what comes beyond, and says so once in a while in the log. An end makes room.
func TestFull(t *testing.T) {
	for protocol, name := range protocols {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			h := newHouse(withToken, withLog(&log), func(c *Config) { c.MaxConns = 2 })
			l := h.serving(t)[protocol]
			a, b := call(t, l), call(t, l)
			a.draws(t, protocol, 1)
			b.draws(t, protocol, 2)
			for range 3 {
				require.Zero(t, call(t, l).ends(t))
			}
			require.EqualValues(t, 3, testutil.ToFloat64(h.metrics.connections[protocol].refused))
			require.Equal(t, "level=WARN msg=\"uid: all connections are in use, and more are refused\" protocol="+name+
				" limit=2\n", log.String()[strings.Index(log.String(), "level"):])
			require.NoError(t, a.Close())
			require.EqualValues(t, 1, h.open(protocol))
			call(t, l).draws(t, protocol, 3)

			time.Sleep(silent + time.Second)
			b.draws(t, protocol, 4)
			require.Zero(t, call(t, l).ends(t))
			synctest.Wait()
			require.Equal(t, 2, strings.Count(log.String(), "\n"))
			require.NoError(t, b.Close())
		})
	}
}

// certify writes a certificate for a name, and its key.
func certify(t *testing.T, cert, key, name string) {
	private := clitest.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		DNSNames: []string{name}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der := clitest.Must(x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private))
	secret := clitest.Must(x509.MarshalPKCS8PrivateKey(private))
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
}

// Both protocols speak TLS, with the certificate that was read last. Those are out as well who never get through the
// handshake.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	_, err := NewCertificate(cert, key)
	require.ErrorIs(t, err, uid.ErrConfig)
	require.ErrorContains(t, err, "cert.pem: no such file")
	synctest.Test(t, func(t *testing.T) {
		certify(t, cert, key, "one.example")
		certificate := clitest.Must(NewCertificate(cert, key))
		h := newHouse(withToken, func(c *Config) { c.TLS = certificate.Config() })
		both := h.serving(t)
		insecure := &tls.Config{InsecureSkipVerify: true}
		for protocol, l := range both {
			c, half := call(t, l), call(t, l)
			secure := tls.Client(c.Conn, insecure)
			c.Conn, c.in = secure, bufio.NewReader(secure)
			c.draws(t, protocol, 2*protocol+1)
			require.Equal(t, "one.example", secure.ConnectionState().PeerCertificates[0].Subject.CommonName)
			go func() { _, _ = half.Write([]byte("\x16\x03\x01")) }() // half a handshake
			require.LessOrEqual(t, half.ends(t), 10*time.Second)
			c.draws(t, protocol, 2*protocol+2)
			require.EqualValues(t, 1, h.open(protocol))
			require.NoError(t, c.Close())
		}

		// HTTP/2 has many requests on one connection.
		web := both[overHTTP]
		transport := &http.Transport{
			DialContext:     func(context.Context, string, string) (net.Conn, error) { return web.dial(t), nil },
			TLSClientConfig: insecure, ForceAttemptHTTP2: true,
		}
		defer transport.CloseIdleConnections()
		for i := range 3 {
			r := clitest.Must(http.NewRequest(http.MethodGet, "https://one.example/v1/uid", nil))
			r.Header.Set("Authorization", "Bearer "+secret)
			answer := clitest.Must(transport.RoundTrip(r))
			require.Equal(t, 2, answer.ProtoMajor)
			require.Equal(t, fmt.Sprintf("{\"uid\":\"%d\"}\n", i+5), string(clitest.Must(io.ReadAll(answer.Body))))
			require.EqualValues(t, 1, h.open(overHTTP))
			time.Sleep(30 * time.Second)
		}

		require.NoError(t, os.WriteFile(cert, []byte("nonsense"), 0o600))
		require.ErrorContains(t, certificate.Reload(), "are no PEM files")
		for _, name := range []string{"one.example", "two.example"} {
			secure := tls.Client(web.dial(t), insecure)
			require.NoError(t, secure.Handshake())
			require.Equal(t, name, secure.ConnectionState().PeerCertificates[0].Subject.CommonName)
			certify(t, cert, key, "two.example")
			require.NoError(t, certificate.Reload())
			require.NoError(t, secure.Close())
		}
	})
}
