package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/internal/orders"
	"github.com/uidgen/uid/stores/kubernetes/internal/fake"
)

// kind is what a request is: GET, LIST, PUT or POST.
func kind(r *http.Request) string {
	if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/leases") {
		return "LIST"
	}
	return r.Method
}

// next has a fault befall the next requests of a kind, n at most.
func (c *cluster) next(what string, n int64, f fake.Fault) {
	var seen atomic.Int64
	c.Break(func(r *http.Request) fake.Fault {
		if kind(r) == what && seen.Add(1) <= n {
			return f
		}
		return fake.Fault{}
	})
}

// What the API server says instead of doing what it is asked, and whether that may pass. It has been done or not.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, is := range map[string]struct {
		fault  fake.Fault
		stored bool
		passes bool
		says   string
	}{
		"timed out":          {fake.Fault{Status: 500}, false, true, "update: the API server answered 500 Internal"},
		"timed out, and yet": {fake.Fault{Status: 500, Done: true}, true, true, "answered 500 Internal Server Error"},
		"shuts down":         {fake.Fault{Status: 503, RetryAfter: 1}, false, true, "answered 503 Service Unavailable"},
		"late":               {fake.Fault{Status: 504, Done: true}, true, true, "answered 504 Gateway Timeout"},
		"token":              {fake.Fault{Status: 401}, false, true, "update: the API server answered 401 Unauth"},
		"starts":             {fake.Fault{Status: 404, Message: "no resource"}, false, true, "404 Not Found: no"},
		"rights":             {fake.Fault{Status: 403}, false, false, "may not update leases.coordination.k8s.io"},
		"invalid": {fake.Fault{Status: 422, Message: "is too long"}, false, false,
			"Unprocessable Entity: is too long"},
		"lost":     {fake.Fault{Lost: true}, false, true, "update: unexpected EOF"},
		"no reply": {fake.Fault{Silent: true}, true, true, "update: unexpected EOF"},
	} {
		inCluster(t, func(t *testing.T, c *cluster) {
			l := c.made()
			id := c.take(l)
			c.next("PUT", 1, is.fault)
			orders.Fails(t, renew(l, id, 1), is.passes, is.says)
			require.EqualValues(t, map[bool]int{true: 1}[is.stored], c.row(id).High, name)
			require.NoError(t, renew(l, id, 1), name)
		})
	}
}

// 409 says that the object is another one, or not the one that was read, or that there is one.
func TestConflict(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		l, other := c.made(), c.made()
		id := c.take(l)
		for n, between := range []func(){
			func() { require.NoError(t, renew(other, id, 10)) },
			func() { c.Edit("shop", "uid-orders.0", func(o *fake.Lease) { o.Meta.UID = "another" }) },
		} {
			c.Count()
			c.once("PUT", between)
			require.NoError(t, renew(l, id, 1))
			require.Equal(t, 1, c.Count()["PUT 409"])
			require.EqualValues(t, 11+n, c.row(id).High)
		}
		c.Delete("shop", "uid-orders")
		c.once("POST", func() { orders.Made(t, c.store()) })
		orders.Set(t, l, func(*storage.Namespace) {})
		require.Equal(t, 1, c.Count()["POST 409"])

		c.Delete("shop", "uid-orders")
		c.next("POST", 1, fake.Fault{Status: 404})
		err := l.Init(t.Context(), func(*storage.Namespace, storage.Clock) error { return nil })
		require.ErrorIs(t, err, uid.ErrConfig)
		orders.Fails(t, err, false, "there is no Kubernetes namespace shop")
	})
}

// A busy server has done nothing. It says how long to wait.
func TestBusy(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		l := c.made()
		id := c.take(l)
		c.next("PUT", 3, fake.Fault{Status: 429, RetryAfter: 7})
		began := time.Now()
		require.NoError(t, renew(l, id, 1))
		require.EqualValues(t, 1, c.row(id).High)
		require.GreaterOrEqual(t, time.Since(began), 21*time.Second)

		c.next("PUT", 1, fake.Fault{Status: 429})
		began = time.Now()
		require.NoError(t, renew(l, id, 1))
		require.GreaterOrEqual(t, time.Since(began), time.Second, "one that does not say it is given a second")

		c.next("PUT", 1, fake.Fault{Status: 429, RetryAfter: 3600})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := l.Change(ctx, id, func(_ *storage.Namespace, r *storage.Lease, _ storage.Clock) error {
			r.High++
			return nil
		})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		orders.Fails(t, err, true, "kubernetes: update: ")
	})
}

// The token is read for each request: Kubernetes renews it.
func TestToken(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		l := c.made()
		id := c.take(l)
		c.Forget(orders.Secret)
		orders.Fails(t, renew(l, id, 1), true, "the API server answered 401 Unauthorized: ")
		require.NoError(t, os.Remove(c.token))
		orders.Fails(t, renew(l, id, 1), true, "list: the token cannot be read")
		c.Allow("renewed", "shop", "get", "list", "create", "update")
		require.NoError(t, os.WriteFile(c.token, []byte("renewed"), 0o600))
		require.NoError(t, renew(l, id, 1))
	})
}

// Each verb that a Role lacks is named.
func TestVerbs(t *testing.T) {
	t.Parallel()
	all := []string{"get", "list", "create", "update"}
	for i, verb := range all {
		inCluster(t, func(t *testing.T, c *cluster) {
			store := c.store()
			c.Allow(orders.Secret, "shop", append(all[:i:i], all[i+1:]...)...)
			l := orders.Leases(t, store)
			err := l.Init(t.Context(), func(*storage.Namespace, storage.Clock) error { return nil })
			for range 2 {
				if err == nil {
					err = l.Take(t.Context(), orders.Wanted(0, 9), orders.Keep)
				}
			}
			require.ErrorIs(t, err, uid.ErrConfig)
			orders.Fails(t, err, false, "the account may not "+verb+" leases.coordination.k8s.io in the namespace shop",
				"get, list, create and update")
		})
	}
}

// A list that is refused, in whatever way, is not one of nothing. One from memory is made by a quorum if that is
// behind.
func TestRefusedList(t *testing.T) {
	t.Parallel()
	for status, n := range map[int]int64{404: 1, 409: 1, 410: 1, 504: 2} {
		inCluster(t, func(t *testing.T, c *cluster) {
			l := c.made()
			id := c.take(l)
			c.next("LIST", n, fake.Fault{Status: status})
			orders.Fails(t, renew(orders.Leases(t, c.store()), id, 1), status != 409 && status != 410,
				fmt.Sprintf("list: the API server answered %d ", status))
			require.NoError(t, renew(l, id, 1))
		})
	}
}

// A list of several pages is of one time. If it takes longer than etcd keeps what was, it begins anew.
func TestPages(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		d := c.store().Driver().(*driver)
		for n := range 3 * 500 {
			key := stores.Key{Namespace: "orders", ID: int64(n)}.String()
			_, err := d.put(t.Context(), next(stores.Record{Key: key, Text: "row"}, state{}))
			require.NoError(t, err)
		}
		c.once("LIST?continue", func() {
			c.Delete("shop", "uid-orders.0")
			c.Compact()
		})
		l, err := d.list(t.Context(), labelNamespace+"=orders", "")
		require.NoError(t, err)
		require.Len(t, l.objects, 3*500-1)
		require.Equal(t, map[string]int{"POST 201": 3 * 500, "LIST 200": 4, "LIST 410": 1}, c.Count())

		c.once("LIST?continue", func() { c.Delete("shop", "uid-orders.999") })
		l, err = d.list(t.Context(), labelNamespace+"=orders", "")
		require.NoError(t, err)
		require.Len(t, l.objects, 3*500-1, "the list is of the time of its first page")
		require.Contains(t, l.objects, stores.Key{Namespace: "orders", ID: 999}.String())
	})
}

// The memory of one of several API servers stands still. What it shows is taken if it is still so. Who reads it again,
// because something was not, waits until it shows that, or asks etcd.
func TestBehind(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		l, other := c.made(), c.made()
		id := c.take(l)
		behind := c.Another(time.Now)
		behind.HoldCache(true)
		require.NoError(t, renew(l, id, 1))
		c.once("PUT", func() {
			c.raise(other)() // the server that is behind does not know of it
			c.through = behind.RoundTripper()
		})
		var floors []int64
		require.NoError(t, renew(l, id, 1, func(n storage.Namespace, _ storage.Lease) {
			floors = append(floors, n.Floor)
		}))
		require.Equal(t, []int64{-1, 0}, floors, "what was decided before the floor was raised does not count")
		require.EqualValues(t, 2, c.row(id).High)

		c.through = behind.RoundTripper()
		for _, catchesUp := range []bool{true, false} {
			behind.HoldCache(true)
			c.take(other)
			behind.Count()
			began := time.Now()
			counts := map[string]int{"LIST 200": 2, "PUT 409": 1, "PUT 200": 1, "GET 200": 2}
			if catchesUp {
				time.AfterFunc(time.Second, func() { behind.HoldCache(false) })
			} else {
				counts["LIST 504"] = 1
			}
			c.take(orders.Leases(t, c.store()))
			require.Equal(t, counts, behind.Count())
			require.Equal(t, catchesUp, time.Since(began) < 2*time.Second)
		}
	})
}

// through is a way to a server.
type through func(r *http.Request) (*http.Response, error)

func (f through) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A PUT that changes nothing is answered with what is there, though another one may have stored that. So may one that a
// proxy answers. An answer that cannot be read is not repeated.
func TestNothingStored(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		l := c.made()
		id := c.take(l)
		c.through = through(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodPut {
				r = r.Clone(r.Context())
				r.Method, r.Body = http.MethodGet, nil
			}
			return c.RoundTripper().RoundTrip(r)
		})
		orders.Fails(t, renew(l, id, 1), true, "update: the API server has stored nothing")
		c.through = through(func(r *http.Request) (*http.Response, error) {
			body := io.NopCloser(strings.NewReader("<p>" + orders.Secret))
			return &http.Response{StatusCode: 200, Status: "200 OK", Body: body}, nil
		})
		orders.Fails(t, renew(l, id, 1), false, "list: the API server answered 200 OK: this is no answer of one")
	})
}

// A connection that is open and says nothing ends with the RequestTimeout, or with the call. What was sent may arrive.
func TestSilence(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		l := orders.Made(t, c.store(func(cfg *Config) { cfg.RequestTimeout = 3 * time.Second }))
		id := c.take(l)
		wait, began := make(chan struct{}), time.Now()
		c.next("PUT", 1, fake.Fault{Wait: wait})
		err := renew(l, id, 1)
		require.Equal(t, 3*time.Second, time.Since(began))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		orders.Fails(t, err, true, "kubernetes: update: context deadline exceeded")
		require.EqualValues(t, 0, c.row(id).High)

		c.next("LIST", 1, fake.Fault{Wait: wait})
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New(orders.Secret))
		defer cancel()
		err = l.Change(ctx, id, orders.Unasked(t))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		orders.Fails(t, err, true)
		require.Equal(t, 4*time.Second, time.Since(began))

		close(wait)
		synctest.Wait()
		require.EqualValues(t, 1, c.row(id).High)
	})
}
