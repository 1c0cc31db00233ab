package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cmd/uid/internal/clitest"
)

// TestOpenAPI compares the file with the handlers: it has their paths and methods and no others, each
// answer is as it says, and each status that it names is one that a handler answers with.
func TestOpenAPI(t *testing.T) {
	doc := clitest.Must(openapi3.NewLoader().LoadFromData(openAPIFile))
	require.NoError(t, doc.Validate(t.Context()))
	require.Equal(t, "3.1.0", doc.OpenAPI)

	var routes, described []string
	for _, route := range newHouse().all {
		for _, method := range route.methods {
			routes = append(routes, method+" "+route.path)
		}
	}
	documented := map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			described = append(described, method+" "+path)
			for code := range operation.Responses.Map() {
				documented[fmt.Sprint(method, " ", path, " ", code)] = true
			}
		}
	}
	slices.Sort(routes)
	slices.Sort(described)
	require.Equal(t, routes, described)

	seen := map[string]bool{}
	for _, c := range answers() {
		for _, method := range c.route.methods {
			if c.method != "" && c.method != method || c.drawing && method == http.MethodHead {
				continue
			}
			r := c.request(method)
			w := c.house.ask(r)
			key := fmt.Sprint(method, " ", c.route.path, " ", w.Code)
			require.Equal(t, c.want, w.Code, "%s %s: %s", method, c.target, w.Body)
			require.True(t, documented[key], "%s is not in the file", key)
			require.Equal(t, "no-store", w.Header().Get("Cache-Control"), key)
			seen[key] = true
			body := w.Body.Bytes()
			if method == http.MethodHead && w.Code != http.StatusFound && !(c.route.draws && w.Code == http.StatusOK) {
				require.NotEmpty(t, w.Header().Get("Content-Length"), key)
			}
			item := doc.Paths.Value(c.route.path)
			route := &routers.Route{Spec: doc, Path: c.route.path, PathItem: item, Method: method,
				Operation: item.GetOperation(method)}
			options := &openapi3filter.Options{
				AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true,
			}
			request := &openapi3filter.RequestValidationInput{Request: r, Route: route, Options: options}
			input := &openapi3filter.ResponseValidationInput{RequestValidationInput: request, Status: w.Code,
				Header: w.Header(), Options: options, Body: io.NopCloser(bytes.NewReader(body))}
			if w.Code == http.StatusFound {
				require.Equal(t, PagePath, w.Header().Get("Location"))
				continue
			}
			require.NoError(t, openapi3filter.ValidateResponse(context.Background(), input), "%s: %s", key, body)
			if method != http.MethodHead && strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") {
				// The check checks.
				input.Body = io.NopCloser(strings.NewReader(`{"nosuch":1}`))
				require.Error(t, openapi3filter.ValidateResponse(context.Background(), input), key)
			}
		}
	}
	for key := range documented {
		require.True(t, seen[key], "the file has %s, which no handler answers", key)
	}
}

// A program that reads the file finds the server that it has it from.
func TestOpenAPIServer(t *testing.T) {
	doc := clitest.Must(openapi3.NewLoader().LoadFromData(newHouse().get("/openapi.yaml").Body.Bytes()))
	require.Len(t, doc.Servers, 1)
	for _, root := range []string{"http://127.0.0.1:7077/", "https://uid.example:9000/"} {
		file := clitest.Must(url.Parse(root + "openapi.yaml"))
		server := clitest.Must(file.Parse(doc.Servers[0].URL))
		require.Equal(t, root, server.String())
	}
}

// An apiCase is a request to a path of the API, and the status of its answer.
type apiCase struct {
	house  *house
	route  route
	target string
	method string // "" for all of the route
	change func(*http.Request)
	body   string
	want   int

	drawing bool // it is about what a HEAD does not do
}

func (c apiCase) request(method string) *http.Request {
	r := httptest.NewRequest(method, c.target, strings.NewReader(c.body))
	if c.change != nil {
		c.change(r)
	}
	return r
}

// answers are requests to every path, for each of its statuses.
func answers() (all []apiCase) {
	open := newHouse()
	guarded := newHouse(withToken)
	local := newHouse(func(c *Config) { c.LocalOnly = true })
	later := newHouse()
	later.uids.err = fmt.Errorf("%w: %w", uid.ErrNoReservation, uid.ErrRange) // not the client's
	never := newHouse(func(c *Config) {
		c.Metrics = prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) { return nil, errors.New("no") })
	})
	never.uids.err = uid.ErrExhausted
	unready := newHouse(func(c *Config) { c.Ready = func() error { return uid.ErrNoReservation } })
	paged := newHouse(func(c *Config) { c.Page = http.NotFoundHandler() })

	targets := map[string]string{
		"/v1/uids": "/v1/uids?n=3", "/v1/parse/{uid}": "/v1/parse/962672698415128576",
		"/api/segment/get/{key}": "/api/segment/get/invoice", "/api/snowflake/get/{key}": "/api/snowflake/get/any",
	}
	for _, route := range open.all {
		target := targets[route.path]
		if target == "" {
			target = route.path
		}
		add := func(h *house, want int, change func(*apiCase)) {
			c := apiCase{house: h, route: route, target: target, want: want}
			if change != nil {
				change(&c)
			}
			all = append(all, c)
		}
		header := func(name, value string) func(*apiCase) {
			return func(c *apiCase) { c.change = func(r *http.Request) { r.Header.Set(name, value) } }
		}
		drawing := func(c *apiCase) { c.drawing = true }
		add(open, http.StatusOK, nil)
		add(open, http.StatusRequestURITooLong, func(c *apiCase) { c.target += "?" + strings.Repeat("x", maxURL) })
		add(local, http.StatusMisdirectedRequest, nil)
		if !route.open {
			add(guarded, http.StatusUnauthorized, nil)
			add(guarded, http.StatusOK, header("Authorization", "Bearer "+secret))
		}
		for _, method := range route.methods {
			status := http.StatusBadRequest
			if method == http.MethodPost {
				status = http.StatusRequestEntityTooLarge
			}
			add(open, status, func(c *apiCase) { c.method, c.body = method, strings.Repeat("x", maxBody+1) })
		}
		if route.draws {
			add(open, http.StatusForbidden, header("Sec-Fetch-Site", "cross-site"))
			add(open, http.StatusForbidden, header("Origin", "https://evil.example"))
			add(unready, http.StatusServiceUnavailable, func(c *apiCase) { c.method = http.MethodHead })
		}
		switch route.path {
		case "/v1/uid", "/v1/uids":
			add(open, http.StatusOK, header("Accept", "text/plain"))
			add(open, http.StatusNotAcceptable, header("Accept", "image/png"))
			add(later, http.StatusServiceUnavailable, drawing)
			add(never, http.StatusInternalServerError, drawing)
		case "/api/snowflake/get/{key}":
			add(later, http.StatusInternalServerError, drawing)
		case "/api/segment/get/{key}":
			add(open, http.StatusInternalServerError,
				func(c *apiCase) { c.target, c.drawing = "/api/segment/get/nosuch", true })
		case "/readyz":
			add(unready, http.StatusServiceUnavailable, nil)
		case "/metrics":
			add(never, http.StatusInternalServerError, nil)
		case "/":
			add(paged, http.StatusFound, nil)
		}
	}
	return all
}
