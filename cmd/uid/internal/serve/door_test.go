package serve

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
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

// strange connects, says a text, and hears what comes.
func strange(t testing.TB, l *pipeListener, text string) {
	t.Helper()
	c := call(t, l)
	go func() { _, _ = io.Copy(io.Discard, c.in) }()
	go func() { _, _ = c.Write([]byte(text)) }()
}

// full is what the log says of a full house.
const full = `level=WARN msg="uid: all connections are in use, and one more is refused" protocol=`

func withLog(log *bytes.Buffer) func(*Config) {
	return func(c *Config) { c.Logger = slog.New(slog.NewTextHandler(log, nil)) }
}

// However many connections do not show the token, who shows it is answered, and keeps his connection.
func TestStrangers(t *testing.T) {
	for protocol, texts := range [2][]string{
		{
			"", raw("GET", "/healthz"), raw("GET", "/v1/uid"), raw("GET", "/v1/uid", "Authorization: Bearer wrong"),
			"GET /v1/uid HTTP/1.1\r\nHost: loc",
		},
		{"", command("AUTH", "wrong"), command("INCR", "uid"), "*2\r\n$4\r\nAU"},
	} {
		for _, text := range texts {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				h := newHouse(withToken, withLog(&log), func(c *Config) {
					c.Limits.Connections, c.Limits.Strangers = 64, 8
				})
				l := h.serving(t)[protocol]
				of := &h.metrics.connections[protocol]
				before := call(t, l)
				before.draws(t, protocol, 1)
				for range 100 {
					strange(t, l, text)
				}
				synctest.Wait()
				require.EqualValues(t, 64+8, testutil.ToFloat64(of.open), "more than the house holds")
				during := call(t, l)
				during.draws(t, protocol, 2)
				before.draws(t, protocol, 3)

				time.Sleep(moment) // of fake time, as all that follows
				strange(t, l, text)
				synctest.Wait()
				require.EqualValues(t, 8, testutil.ToFloat64(of.strangers))
				require.EqualValues(t, 10, testutil.ToFloat64(of.open))
				require.Positive(t, testutil.ToFloat64(of.evicted))
				require.Zero(t, testutil.ToFloat64(of.refused))
				require.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
				require.Contains(t, log.String(), "protocol="+protocols[protocol]+" limit=8\n")

				time.Sleep(10 * time.Second)
				synctest.Wait()
				require.Zero(t, testutil.ToFloat64(of.strangers))
				time.Sleep(time.Minute)
				before.draws(t, protocol, 4)
				during.draws(t, protocol, 5)
				strange(t, l, "")
				synctest.Wait()
				text := h.ask(asked("/metrics")).Body.String()
				require.Contains(t, text, fmt.Sprintf("uid_serve_strangers{protocol=%q} 1\n", protocols[protocol]))
				require.Contains(t, text,
					fmt.Sprintf("uid_serve_evicted_strangers_total{protocol=%q} %v\n",
						protocols[protocol], testutil.ToFloat64(of.evicted)))
			})
		}
	}
}

// asked is a request with the token.
func asked(target string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.Header.Set("Authorization", "Bearer "+secret)
	return r
}

// A thousand clients that come at once, before one has shown the token, are strangers for a moment, and
// none of them has to leave.
func TestManyClientsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(withToken)
		for protocol, l := range h.serving(t) {
			var all []caller
			for range 1000 {
				all = append(all, call(t, l))
			}
			synctest.Wait()
			require.EqualValues(t, 1000, testutil.ToFloat64(h.metrics.connections[protocol].strangers))
			for i, c := range all {
				c.draws(t, protocol, 1000*protocol+i+1)
			}
			require.Zero(t, testutil.ToFloat64(h.metrics.connections[protocol].strangers))
			require.Zero(t, testutil.ToFloat64(h.metrics.connections[protocol].evicted))
		}
	})
}

// A house that is full of clients refuses one more, even if he has the token, and says so once.
func TestFullOfClients(t *testing.T) {
	for protocol := range protocols {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			h := newHouse(withToken, withLog(&log), func(c *Config) { c.Limits.Connections = 2 })
			l := h.serving(t)[protocol]
			refused := [2]string{`{"error":"all 2 connections are in use"}`,
				"-ERR max number of clients reached: 2"}[protocol]
			a, b := call(t, l), call(t, l)
			a.draws(t, protocol, 1)
			b.draws(t, protocol, 2)
			a.draws(t, protocol, 3)
			for range 3 {
				c := call(t, l)
				c.say(t, asks[protocol], refused)
				require.Zero(t, c.ends(t), "it is closed")
			}
			require.EqualValues(t, 3, testutil.ToFloat64(h.metrics.connections[protocol].refused))
			require.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
			require.Contains(t, log.String(), full+protocols[protocol]+" limit=2\n")
			if protocol == overHTTP {
				call(t, l).say(t, raw("GET", "/healthz"), "healthy")
			}
			require.NoError(t, a.Close())
			synctest.Wait()
			call(t, l).draws(t, protocol, 4)

			time.Sleep(silent + time.Second) // another episode
			b.draws(t, protocol, 5)
			call(t, l).say(t, asks[protocol], refused)
			require.Equal(t, 2, strings.Count(log.String(), "\n"))
		})
	}
}

// What a connection showed last says what it is, and how long it may live.
func TestStanding(t *testing.T) {
	wrong := [2]string{raw("GET", "/v1/uid", "Authorization: Bearer wrong"), command("AUTH", "wrong")}
	refused := [2]string{"show the token", "-WRONGPASS"}
	for protocol := range protocols {
		synctest.Test(t, func(t *testing.T) {
			h := newHouse(withToken)
			l := h.serving(t)[protocol]
			strangers := h.metrics.connections[protocol].strangers
			c := call(t, l)
			c.say(t, wrong[protocol], refused[protocol])
			require.EqualValues(t, 1, testutil.ToFloat64(strangers))
			c.draws(t, protocol, 1)
			require.Zero(t, testutil.ToFloat64(strangers))
			time.Sleep(9 * time.Second)
			c.say(t, wrong[protocol], refused[protocol])
			require.EqualValues(t, 1, testutil.ToFloat64(strangers))
			require.Equal(t, 10*time.Second, c.ends(t), "from then on")
			synctest.Wait()
			require.Zero(t, testutil.ToFloat64(strangers))
			require.Zero(t, testutil.ToFloat64(h.metrics.connections[protocol].open))
		})
	}
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(withToken)
		c := call(t, h.serving(t)[overHTTP])
		c.say(t, raw("GET", "/healthz"), "healthy")
		c.draws(t, overHTTP, 1)
		time.Sleep(time.Minute)
		c.say(t, raw("GET", "/healthz"), "healthy")
		time.Sleep(time.Minute)
		c.draws(t, overHTTP, 2) // a request that needs no token shows nothing
		require.Equal(t, 2*time.Minute, c.ends(t))
	})
}

// Without a token a house that is full says so to who comes, and once in a while in the log. An end makes room.
func TestFullIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		h := newHouse(withLog(&log), func(c *Config) { c.Limits.Connections = 2 })
		for i, l := range h.serving(t) {
			a, b := call(t, l), call(t, l)
			for range 3 {
				said := over(t, l, "")
				if i == overRESP {
					require.Equal(t, "-ERR max number of clients reached: 2\r\n", said)
					continue
				}
				answer, err := http.ReadResponse(bufio.NewReader(strings.NewReader(said)), nil)
				require.NoError(t, err)
				require.Equal(t, http.StatusServiceUnavailable, answer.StatusCode)
				body, err := io.ReadAll(answer.Body)
				require.NoError(t, err)
				require.Equal(t, "{\"error\":\"all 2 connections are in use\"}\n", string(body))
			}
			require.Equal(t, i+1, strings.Count(log.String(), "\n"), log.String())
			require.Contains(t, log.String(), full+protocols[i]+" limit=2\n")
			require.EqualValues(t, 3, testutil.ToFloat64(h.metrics.connections[i].refused))
			require.NoError(t, a.Close())
			synctest.Wait()
			c := call(t, l)
			c.say(t, [2]string{raw("GET", "/healthz"), command("PING")}[i], [2]string{"healthy", "PONG"}[i])
			require.NoError(t, c.Close())
			require.NoError(t, b.Close())
			synctest.Wait()
			require.Zero(t, testutil.ToFloat64(h.metrics.connections[i].open))
		}
	})
}

// Over TLS strangers are those as well who never get through the handshake.
func TestStrangersOverTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	synctest.Test(t, func(t *testing.T) {
		certify(t, cert, key, "one.example")
		certificate := must(NewCertificate(cert, key))
		h := newHouse(withToken, func(c *Config) {
			c.TLS, c.Limits.Connections, c.Limits.Strangers = certificate.Config(), 2, 2
		})
		both := h.serving(t)
		web := both[overHTTP]
		insecure := &tls.Config{InsecureSkipVerify: true}
		for protocol, l := range both {
			for range 10 {
				strange(t, l, "\x16\x03\x01") // half a handshake
			}
			c := call(t, l)
			c.Conn = tls.Client(c.Conn, insecure)
			c.in = bufio.NewReader(c.Conn)
			c.draws(t, protocol, 2*protocol+1)
			for range 10 {
				strange(t, l, "")
			}
			c.draws(t, protocol, 2*protocol+2)
			time.Sleep(10 * time.Second)
			synctest.Wait()
			require.EqualValues(t, 1, testutil.ToFloat64(h.metrics.connections[protocol].open))
			require.Zero(t, testutil.ToFloat64(h.metrics.connections[protocol].strangers))
			require.NoError(t, c.Close())
		}

		// HTTP/2 has many requests on one connection.
		transport := &http.Transport{
			DialContext:     func(context.Context, string, string) (net.Conn, error) { return web.dial(t), nil },
			TLSClientConfig: insecure, ForceAttemptHTTP2: true,
		}
		defer transport.CloseIdleConnections()
		for i := range 3 {
			r := asked("https://one.example/v1/uid")
			r.RequestURI = "" // it is a client's
			answer, err := transport.RoundTrip(r)
			require.NoError(t, err)
			body, err := io.ReadAll(answer.Body)
			require.NoError(t, err)
			require.Equal(t, 2, answer.ProtoMajor)
			require.Equal(t, fmt.Sprintf("{\"uid\":\"%d\"}\n", i+5), string(body))
			require.EqualValues(t, 1, testutil.ToFloat64(h.metrics.connections[overHTTP].open))
			require.Zero(t, testutil.ToFloat64(h.metrics.connections[overHTTP].strangers))
			time.Sleep(30 * time.Second)
		}
	})
}
