package kubernetes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/internal/orders"
	"github.com/uidgen/uid/stores/kubernetes/internal/fake"
	"github.com/uidgen/uid/worker/lease"
)

// A cluster is an API server, and the way to it.
type cluster struct {
	t testing.TB
	*fake.Server
	token   string // the path of a file
	through http.RoundTripper

	mu       sync.Mutex
	requests []string // PUT NAME, POST, LIST?QUERY and GET NAME?QUERY
	sent     []object // by PUT and POST
	begins   string
	do       func()
}

// inCluster runs a test in a bubble, with a cluster whose clock is that of the process.
func inCluster(t *testing.T, test func(t *testing.T, c *cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{t: t, Server: fake.New(time.Now), token: filepath.Join(t.TempDir(), "token")}
		c.through = c.RoundTripper()
		c.Allow(orders.Secret, "shop", "get", "list", "create", "update")
		require.NoError(t, os.WriteFile(c.token, []byte(orders.Secret+"\n"), 0o600))
		test(t, c)
	})
}

// store returns that of a new client.
func (c *cluster) store(changes ...func(*Config)) *stores.Store {
	c.t.Helper()
	cfg := Config{URL: "https://cluster", Namespace: "shop", TokenFile: c.token, Client: &http.Client{Transport: c}}
	for _, change := range changes {
		change(&cfg)
	}
	s, err := New(cfg)
	require.NoError(c.t, err)
	return s
}

// made returns the namespace orders to a new client.
func (c *cluster) made() lease.Store { return orders.Made(c.t, c.store()) }

// RoundTrip implements [http.RoundTripper].
func (c *cluster) RoundTrip(r *http.Request) (*http.Response, error) {
	path, is := strings.CutPrefix(r.URL.Path, "/apis/coordination.k8s.io/v1/namespaces/shop/leases")
	if !is {
		return nil, fmt.Errorf("a request for %s", r.URL)
	}
	request := strings.TrimSuffix(r.Method+" "+strings.TrimPrefix(path, "/"), " ")
	if r.URL.RawQuery != "" {
		request += "?" + r.URL.RawQuery
	}
	if path == "" && r.Method == http.MethodGet {
		request = "LIST" + strings.TrimPrefix(request, "GET")
	}
	c.mu.Lock()
	if r.Body != nil && r.Body != http.NoBody {
		var o object
		body, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(body, &o) != nil {
			return nil, fmt.Errorf("%s sends %s", request, body)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		c.sent = append(c.sent, o)
	}
	c.requests = append(c.requests, request)
	var do func()
	if c.do != nil && strings.HasPrefix(request, c.begins) {
		do, c.do = c.do, nil
	}
	through := c.through
	c.mu.Unlock()
	if do != nil {
		do()
	}
	return through.RoundTrip(r)
}

// asked returns the requests that something takes.
func (c *cluster) asked(do func()) []string {
	c.mu.Lock()
	c.requests, c.sent = nil, nil
	c.mu.Unlock()
	do()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.requests
}

// once has something done before the next request that begins so.
func (c *cluster) once(begins string, do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begins, c.do = begins, do
}

// raise returns a function by which somebody else raises the floor of the namespace.
func (c *cluster) raise(l lease.Store) func() {
	return func() { orders.Set(c.t, l, func(n *storage.Namespace) { n.Floor++ }) }
}

// renew adds n to what a row has reserved, and calls seen with what is decided on.
func renew(l lease.Store, id, n int64, seen ...func(storage.Namespace, storage.Lease)) error {
	return l.Change(context.Background(), id, func(ns *storage.Namespace, r *storage.Lease, _ storage.Clock) error {
		for _, see := range seen {
			see(*ns, *r)
		}
		r.High += n
		return nil
	})
}

// row returns what a row says to a new client.
func (c *cluster) row(id int64) (row storage.Lease) {
	c.t.Helper()
	errSeen := errors.New("seen")
	require.ErrorIs(c.t, orders.Leases(c.t, c.store()).Change(c.t.Context(), id,
		func(_ *storage.Namespace, r *storage.Lease, _ storage.Clock) error { row = *r; return errSeen }), errSeen)
	return row
}

// take takes any ID, for an hour, and returns it.
func (c *cluster) take(l lease.Store) int64 {
	c.t.Helper()
	return orders.Taken(c.t, l, orders.Wanted(0, 1000), time.Hour).WorkerID
}

// A renewal is two requests, a start on a free row three. The first start in a namespace makes 16 rows.
func TestRequests(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		var l lease.Store
		kinds := func(do func()) map[string]int {
			n := map[string]int{}
			for _, request := range c.asked(do) {
				kind, _, _ := strings.Cut(request, " ")
				kind, _, _ = strings.Cut(kind, "?")
				n[kind]++
			}
			return n
		}
		require.Equal(t, map[string]int{"GET": 1, "LIST": 1, "POST": 1},
			kinds(func() { l = orders.Made(t, c.store()) }))
		// It lists, makes rows, says so, lists anew, takes one, and looks at the namespace.
		require.Equal(t, map[string]int{"LIST": 2, "POST": 16, "PUT": 2, "GET": 1},
			kinds(func() { require.Zero(t, c.take(l)) }))
		for range 3 {
			require.Equal(t, map[string]int{"PUT": 1, "GET": 1}, kinds(func() { require.NoError(t, renew(l, 0, 1)) }))
		}
		another := orders.Leases(t, c.store())
		require.Equal(t, map[string]int{"LIST": 1, "PUT": 1, "GET": 1},
			kinds(func() { require.EqualValues(t, 1, c.take(another)) }))
		require.Equal(t, map[string]int{"PUT": 1, "GET": 1}, kinds(func() { require.NoError(t, renew(another, 1, 1)) }))
		// Who has not read it before lists the row and the namespace.
		require.Equal(t, map[string]int{"LIST": 1, "PUT": 1, "GET": 1},
			kinds(func() { require.NoError(t, renew(orders.Leases(t, c.store()), 0, 1)) }))

		numbers := c.store().Segments()
		draw := func() { require.NoError(t, numbers.Change(t.Context(), "orders", orders.Draw(9))) }
		require.Equal(t, map[string]int{"POST": 1, "GET": 1}, kinds(draw))
		require.Equal(t, map[string]int{"PUT": 1, "GET": 1}, kinds(draw))
	})
}

// A list names the rows that are asked for, or none where these are many: no URL is refused for its length.
func TestIDs(t *testing.T) {
	t.Parallel()
	rows := func(first, last int64) stores.Range {
		return stores.Range{First: stores.Key{Namespace: "orders", ID: first}.String(),
			Last: stores.Key{Namespace: "orders", ID: last}.String()}
	}
	require.Equal(t, ",uidgen/id in (own,7,8,1000)", ids([]stores.Range{rows(7, 8), rows(1000, 1000)}))
	require.NotEmpty(t, ids([]stores.Range{rows(1, 100), rows(200, 398)}))
	require.Empty(t, ids([]stores.Range{rows(1, 100), rows(200, 399)}))
	require.Empty(t, ids([]stores.Range{rows(0, math.MaxInt64-1)}))
}

// Each write names the object and the revision that it replaces: else a PUT makes a deleted object anew. Who reads one
// object wants the newest, and names no revision. Lists by a quorum have pages, those from memory have none: the API
// server would take the revision of a page for the one that is wanted. There is only what is this package's.
func TestConditions(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		asked := c.asked(func() {
			l := orders.Made(t, c.store())
			id := c.take(l)
			require.NoError(t, renew(l, id, 1))
			c.raise(l)()
			require.NoError(t, renew(l, id, 1))
			for range 2 {
				require.NoError(t, c.store().Segments().Change(t.Context(), "orders", orders.Draw(9)))
			}
			orders.Rows(t, c.store().Segments(), 9)
			_, _, err := c.store().Registry().Namespaces(t.Context())
			require.NoError(t, err)
		})
		for name, o := range c.Leases("shop") {
			require.Equal(t, managed, o.Meta.Labels[labelManaged], name)
			require.Empty(t, o.Meta.Finalizers)
		}
		kinds, lists, sent := map[string]bool{}, map[string]int{}, c.sent
		for _, request := range asked {
			kind, rest, _ := strings.Cut(request, " ")
			list, isList := strings.CutPrefix(request, "LIST?")
			switch {
			case isList:
				kind = "LIST"
				require.Contains(t, list, "labelSelector="+url.QueryEscape("app.kubernetes.io/managed-by=uid,uidgen/"))
				query, err := url.ParseQuery(list)
				require.NoError(t, err)
				require.NotEqual(t, query.Get("limit") == "500", query.Get("resourceVersion") != "", list)
				lists[query.Get("limit")]++
			case kind == "GET":
				require.NotContains(t, rest, "?")
			case kind == "PUT":
				require.Equal(t, sent[0].Meta.Name, rest)
				require.NotEmpty(t, sent[0].Meta.UID)
				require.NotEmpty(t, sent[0].Meta.Revision)
				sent = sent[1:]
			default:
				require.Equal(t, "POST", request)
				require.Empty(t, sent[0].Meta.UID+sent[0].Meta.Revision)
				sent = sent[1:]
			}
			kinds[kind] = true
		}
		require.Empty(t, sent)
		require.Len(t, kinds, 4)
		require.Len(t, lists, 2)
	})
}
