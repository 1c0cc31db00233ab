package server

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
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
	require.Equal(t, "/", doc.Servers[0].URL, "the server that it was read from")
	documented, seen := map[string]bool{}, map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			for code := range operation.Responses.Map() {
				documented[fmt.Sprint(method, " ", path, " ", code)] = true
			}
		}
	}
	targets := map[string]string{
		"/v1/uids": "/v1/uids?n=3", "/v1/parse/{uid}": "/v1/parse/962672698415128576",
		"/api/segment/get/{key}": "/api/segment/get/invoice", "/api/snowflake/get/{key}": "/api/snowflake/get/any",
	}
	for _, route := range newHouse().all {
		for _, method := range route.methods {
			for _, a := range allAsks() {
				target := cmp.Or(targets[route.path], route.path) + a.query
				r := httptest.NewRequest(method, target, strings.NewReader(a.body))
				if a.name != "" {
					r.Header.Set(a.name, a.value)
				}
				w := a.house.ask(r)
				key := fmt.Sprint(method, " ", route.path, " ", w.Code)
				require.True(t, documented[key], "%s is not in the file", key)
				require.Equal(t, "no-store", w.Header().Get("Cache-Control"), key)
				seen[key] = true
				if w.Code == http.StatusFound {
					require.Equal(t, PagePath, w.Header().Get("Location"))
					continue
				}
				if method == http.MethodHead && !(route.draws && w.Code == http.StatusOK) {
					require.NotEmpty(t, w.Header().Get("Content-Length"), key)
				}
				item := doc.Paths.Value(route.path)
				options := &openapi3filter.Options{
					AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true,
				}
				input := &openapi3filter.ResponseValidationInput{Status: w.Code, Header: w.Header(), Options: options,
					RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, Options: options,
						Route: &routers.Route{Spec: doc, Path: route.path, PathItem: item, Method: method,
							Operation: item.GetOperation(method)}}}
				body := w.Body.Bytes()
				input.SetBodyBytes(body)
				require.NoError(t, openapi3filter.ValidateResponse(t.Context(), input), "%s: %s", key, body)
				if method != http.MethodHead && strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") {
					// The check checks.
					input.SetBodyBytes([]byte(`{"nosuch":1}`))
					require.Error(t, openapi3filter.ValidateResponse(t.Context(), input), key)
				}
			}
		}
	}
	require.Equal(t, documented, seen, "the file has what no handler answers, or the other way round")
}

// An ask is a way to ask for any path of the API.
type ask struct {
	house       *house
	query, body string
	name, value string // of a line of the header
}

// allAsks get every status that there is from one path or another.
func allAsks() []ask {
	open, guarded := newHouse(), newHouse(withToken)
	later := newHouse()
	later.uids.Fail(fmt.Errorf("%w: %w", uid.ErrNoReservation, uid.ErrRange)) // not the client's
	later.store.Outage(true)
	never := newHouse(func(c *Config) {
		c.Metrics = prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) { return nil, errors.New("no") })
	})
	never.uids.Fail(uid.ErrExhausted)
	return []ask{
		{house: open}, {house: open, query: "?" + strings.Repeat("x", maxURL)},
		{house: open, body: strings.Repeat("x", maxBody+1)},
		{house: open, name: "Sec-Fetch-Site", value: "cross-site"},
		{house: open, name: "Origin", value: "https://evil.example"},
		{house: open, name: "Accept", value: "text/plain"}, {house: open, name: "Accept", value: "image/png"},
		{house: newHouse(func(c *Config) { c.LocalOnly = true })},
		{house: guarded}, {house: guarded, name: "Authorization", value: "Bearer " + secret},
		{house: later}, {house: never}, {house: newHouse(func(c *Config) { c.Page = http.NotFoundHandler() })},
		{house: newHouse(func(c *Config) { c.Ready = func() error { return uid.ErrNoReservation } })},
	}
}
