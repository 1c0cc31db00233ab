package fake

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A client asks a fake without a network.
type client struct {
	t *testing.T
	http.RoundTripper
}

// ask returns the status and the body of an answer, or what went wrong.
func (c client) ask(ctx context.Context, method, path, body string) (int, string, error) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, "https://fake"+leases+path, strings.NewReader(body))
	require.NoError(c.t, err)
	r.Header.Set("Authorization", "Bearer token")
	answer, err := c.RoundTrip(r)
	if err != nil {
		return 0, "", err
	}
	text, err := io.ReadAll(answer.Body)
	require.NoError(c.t, err)
	return answer.StatusCode, string(text), nil
}

func (c client) status(method, path, body string) int {
	c.t.Helper()
	status, _, err := c.ask(c.t.Context(), method, path, body)
	require.NoError(c.t, err)
	return status
}

func bubble(t *testing.T, test func(t *testing.T, f *Server, c client)) {
	synctest.Test(t, func(t *testing.T) {
		f := New(time.Now)
		f.Allow("token", "test", "get", "list", "create", "update")
		test(t, f, client{t, f.RoundTripper()})
	})
}

const leases = "/apis/coordination.k8s.io/v1/namespaces/test/leases"

const lease = `{"metadata":{"name":"a"},"spec":{"holderIdentity":"h"}}`

func TestFaults(t *testing.T) {
	bubble(t, func(t *testing.T, f *Server, c client) {
		cut := func(fault Fault) {
			t.Helper()
			f.Break(func(r *http.Request) Fault { return fault })
			_, _, err := c.ask(t.Context(), "POST", "", lease)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			f.Break(func(r *http.Request) Fault { return Fault{} })
		}
		cut(Fault{Lost: true})
		require.Empty(t, f.Leases("test"))
		require.Empty(t, f.Count())

		cut(Fault{Silent: true})
		require.Len(t, f.Leases("test"), 1)
		require.Equal(t, map[string]int{"POST 201": 1}, f.Count())
		require.Empty(t, f.Count(), "since the last call")
		require.True(t, f.Delete("test", "a"))
		require.False(t, f.Delete("test", "a"))

		cut(Fault{Late: true})
		require.Empty(t, f.Leases("test"))
		require.Equal(t, 201, c.status("POST", "", `{"metadata":{"name":"a"}}`), "another one comes before it")
		f.Deliver()
		require.Equal(t, map[string]int{"POST 201": 1, "POST 409": 1}, f.Count())
		f.Deliver()
		require.Empty(t, f.Count(), "it comes once")
	})
}

// A client gives up, and its request is done all the same.
func TestWait(t *testing.T) {
	bubble(t, func(t *testing.T, f *Server, c client) {
		wait := make(chan struct{})
		f.Break(func(r *http.Request) Fault {
			if r.Method == http.MethodPost {
				return Fault{Wait: wait}
			}
			return Fault{}
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, _, err := c.ask(ctx, "POST", "", lease)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 404, c.status("GET", "/a", ""))
		close(wait)
		synctest.Wait()
		require.Equal(t, 200, c.status("GET", "/a", ""))
	})
}

func TestStatus(t *testing.T) {
	bubble(t, func(t *testing.T, f *Server, c client) {
		for _, fault := range []Fault{
			{Status: 429, RetryAfter: 1}, {Status: 500}, {Status: 503, RetryAfter: 2}, {Status: 504},
			{Status: 500, Message: "etcdserver: leader changed", Done: true},
		} {
			f.Break(func(r *http.Request) Fault { return fault })
			r, err := http.NewRequestWithContext(t.Context(), "POST", "https://fake"+leases, strings.NewReader(lease))
			require.NoError(t, err)
			r.Header.Set("Authorization", "Bearer token")
			answer, err := c.RoundTrip(r)
			require.NoError(t, err)
			require.Equal(t, fault.Status, answer.StatusCode)
			require.Equal(t, fault.RetryAfter, int(number(answer.Header.Get("Retry-After"))))
			body, err := io.ReadAll(answer.Body)
			require.NoError(t, err)
			text := string(body)
			require.Contains(t, text, fault.Message)
			require.Equal(t, fault.Status != 429, strings.Contains(text, `"kind":"Status"`), text)
			require.Len(t, f.Leases("test"), map[bool]int{true: 1}[fault.Done])
		}
	})
}

// Of two API servers one is behind: a read that may be old is, one that may not waits, and a quorum's is not.
func TestCache(t *testing.T) {
	bubble(t, func(t *testing.T, f *Server, c client) {
		behind := f.Another(func() time.Time { return time.Now().Add(time.Hour) })
		b := client{t, behind.RoundTripper()}
		behind.HoldCache(true)
		require.Equal(t, 201, c.status("POST", "", lease))
		require.Equal(t, 200, c.status("GET", "/a?resourceVersion=0", ""))
		require.Equal(t, 404, b.status("GET", "/a?resourceVersion=0", ""))
		require.Equal(t, 200, b.status("GET", "/a", ""))
		_, list, err := b.ask(t.Context(), "GET", "?resourceVersion=0", "")
		require.NoError(t, err)
		require.Contains(t, list, `"resourceVersion":"100"},"items":[]`)
		require.Equal(t, 504, b.status("GET", "/a?resourceVersion=101", ""))

		go func() {
			time.Sleep(time.Second)
			behind.HoldCache(false)
		}()
		began := time.Now()
		require.Equal(t, 200, b.status("GET", "/a?resourceVersion=101", ""))
		require.Equal(t, time.Second, time.Since(began))

		go func() {
			time.Sleep(time.Second)
			c.status("POST", "", `{"metadata":{"name":"b"}}`)
		}()
		require.Equal(t, 200, b.status("GET", "/b?resourceVersion=102", ""), "a read waits for a write")
		require.Equal(t, map[string]int{"GET 404": 1, "GET 200": 3, "GET 504": 1, "LIST 200": 1}, behind.Count())

		r, err := http.NewRequestWithContext(t.Context(), "GET", "https://fake/apis", nil)
		require.NoError(t, err)
		answer, err := b.RoundTrip(r)
		require.NoError(t, err)
		require.Equal(t, time.Now().Add(time.Hour).UTC().Format(http.TimeFormat), answer.Header.Get("Date"))
	})
}

func TestBackup(t *testing.T) {
	bubble(t, func(t *testing.T, f *Server, c client) {
		require.Equal(t, 201, c.status("POST", "", lease))
		for range 2 { // so that its history has room for a write
			f.Edit("test", "a", func(*Lease) {})
		}
		first := f.Leases("test")["a"]
		restore := f.Backup()
		change := func(l *Lease) { l.Meta.Annotations = map[string]string{"by": "hand"} }
		for range 2 {
			f.Edit("test", "a", change)
			require.Equal(t, "hand", f.Leases("test")["a"].Meta.Annotations["by"])
			require.Equal(t, 201, c.status("POST", "", `{"metadata":{"name":"b"}}`))
			require.EqualValues(t, 105, f.Revision())
			uid := f.Leases("test")["b"].Meta.UID
			f.Compact()
			token := position{positions, 103, ""}.String()
			require.Equal(t, 410, c.status("GET", "?continue="+token, ""))
			restore()
			require.Equal(t, 200, c.status("GET", "?continue="+token, ""), "it is as in the snapshot")
			require.EqualValues(t, 103, f.Revision())
			require.Equal(t, map[string]*Lease{"a": first}, f.Leases("test"))
			require.Equal(t, 201, c.status("POST", "", `{"metadata":{"name":"b"}}`))
			require.NotEqual(t, uid, f.Leases("test")["b"].Meta.UID)
			restore()
		}
		require.Equal(t, 504, c.status("GET", "/a?resourceVersion=105", ""))

		// An API server that is not started anew still shows what is lost to who does not ask etcd.
		f.Edit("test", "a", change)
		f.HoldCache(true)
		restore()
		f.Edit("test", "a", func(l *Lease) { l.Meta.Annotations = map[string]string{"by": "another"} })
		for query, lost := range map[string]bool{"": false, "?resourceVersion=0": true, "?resourceVersion=104": true} {
			_, text, err := c.ask(t.Context(), "GET", "/a"+query, "")
			require.NoError(t, err)
			require.Equal(t, lost, strings.Contains(text, `"by":"hand"`), query)
		}
		f.Forget("token")
		require.Equal(t, 401, c.status("GET", "/a", ""))
	})
}

// What the fake does not know it does not pass over.
func TestUnknown(t *testing.T) {
	bubble(t, func(t *testing.T, f *Server, c client) {
		f.Allow("token", "test", "list", "watch", "delete", "patch")
		require.Equal(t, 501, c.status("GET", "?fieldSelector=x", ""))
		require.Equal(t, 501, c.status("GET", "?watch=1", ""))
		require.Equal(t, 501, c.status("DELETE", "/a", ""))
		require.Equal(t, 501, c.status("PATCH", "/a", "{}"))
	})
}

// Over a network, with a CA, a connection that is cut is an error, too.
func TestListen(t *testing.T) {
	f := New(time.Now)
	f.Allow("token", "test", "get")
	url, ca := f.Listen(t)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(ca))
	c := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
	r, err := http.NewRequestWithContext(t.Context(), "GET", url+leases+"/a", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer token")
	answer, err := c.Do(r)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, 404, answer.StatusCode)
	require.Equal(t, 2, answer.ProtoMajor)
	r.Header.Set("Authorization", "Bearer ")
	answer, err = c.Do(r)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, 403, answer.StatusCode, "a token that is empty is none")
	f.Break(func(*http.Request) Fault { return Fault{Silent: true} })
	_, err = c.Do(r)
	require.Error(t, err)
}
