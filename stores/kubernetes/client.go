package kubernetes

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker"
)

// methods are those of HTTP, by the verbs that a Role has; the others are GET.
var methods = map[string]string{"create": http.MethodPost, "update": http.MethodPut}

// ask makes a request, and waits and makes it again where the server was too busy to begin. It returns the status, and
// when it was answered, by the server's clock, in whole seconds. No errors are 404 and 409, other than to a list, and
// 410 to a list that goes on, and 504 to one from memory that is behind.
func (d *driver) ask(ctx context.Context, verb, path string, query url.Values, in, out any) (int, time.Time, error) {
	resp, text, err := d.send(ctx, cmp.Or(methods[verb], http.MethodGet), path+"?"+query.Encode(), in)
	if err != nil {
		return 0, time.Time{}, failed(ctx, verb, err)
	}
	date, _ := http.ParseTime(resp.Header.Get("Date"))
	code := resp.StatusCode
	gone := code == http.StatusNotFound && bytes.Contains(text, []byte(`"name":`)) // a server that starts names none
	switch {
	case code == http.StatusTooManyRequests: // nothing was done
		after, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		_ = pause(ctx, 2*time.Duration(max(after, 1))*time.Second) // if ctx has ended, ask says so
		return d.ask(ctx, verb, path, query, in, out)
	case verb != "list" && (gone || code == http.StatusConflict),
		code == http.StatusGone && query.Has("continue"),
		code == http.StatusGatewayTimeout && query.Get("resourceVersion") != "":
		return code, date, nil
	case code == http.StatusForbidden:
		return code, date, fmt.Errorf("%w: kubernetes: the account may not %s leases.coordination.k8s.io in the "+
			"namespace %s: its Role needs the verbs get, list, create and update", uid.ErrConfig, verb, d.cfg.Namespace)
	case code < 300 && json.Unmarshal(text, out) == nil:
		return code, date, nil
	}
	says := struct{ Message string }{"this is no answer of one"} // or about the object, which has no secret
	_ = json.Unmarshal(text, &says)
	err = fmt.Errorf("kubernetes: %s: the API server answered %s: %.300s", verb, resp.Status, says.Message)
	if code == http.StatusUnauthorized || code == http.StatusNotFound || code >= 500 { // a token is renewed in time
		err = worker.Transient(err)
	}
	return code, date, err
}

// send makes one request.
func (d *driver) send(ctx context.Context, method, path string, in any) (resp *http.Response, text []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, d.cfg.RequestTimeout)
	defer cancel()
	var body bytes.Buffer
	if in != nil {
		if err := json.NewEncoder(&body).Encode(in); err != nil {
			return nil, nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, d.cfg.URL+"/apis/coordination.k8s.io/v1/namespaces/"+
		d.cfg.Namespace+"/leases"+path, &body)
	if err != nil {
		return nil, nil, err
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "User-Agent": {"uid"}}
	if d.cfg.TokenFile != "" {
		token, err := os.ReadFile(d.cfg.TokenFile)
		if err != nil {
			return nil, nil, fmt.Errorf("the token cannot be read: %w", err)
		}
		req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	if resp, err = d.cfg.Client.Do(req); err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	text, err = io.ReadAll(resp.Body)
	return resp, text, err
}

// failed returns the error of a request without an answer. All of these may pass.
func failed(ctx context.Context, verb string, err error) error {
	if inner, is := errors.AsType[*url.Error](err); is {
		err = inner.Err // without the URL
	}
	err = fmt.Errorf("kubernetes: %s: %w", verb, cmp.Or(ctx.Err(), err))
	if errors.Is(err, syscall.ECONNREFUSED) {
		return worker.Unreachable(err)
	}
	return worker.Transient(err)
}

// pause waits for half of a time to one and a half, so that those who wait do not come back at once.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return worker.Transient(ctx.Err())
	case <-time.After(d/2 + rand.N(d)):
		return nil
	}
}

// get reads an object, nil if there is none, by a quorum of etcd: the API server's memory can be behind, or show what
// etcd has lost.
func (d *driver) get(ctx context.Context, key string) (*object, time.Time, error) {
	name, _ := place(key)
	o := &object{}
	code, date, err := d.ask(ctx, "get", "/"+name, nil, nil, o)
	if err != nil || code == http.StatusNotFound {
		return nil, date, err
	}
	return o, date, o.read()
}

// put stores an object, if the one that it replaces is there unchanged, or there is none. now is nil if it is not
// stored.
func (d *driver) put(ctx context.Context, o *object) (now *object, err error) {
	verb, path := "update", "/"+o.Meta.Name
	if o.Meta.UID == "" {
		verb, path = "create", ""
	}
	now = &object{}
	code, _, err := d.ask(ctx, verb, path, nil, o, now)
	switch {
	case err == nil && code == http.StatusNotFound && verb == "create":
		return nil, fmt.Errorf("%w: kubernetes: there is no Kubernetes namespace %s", uid.ErrConfig, d.cfg.Namespace)
	case err != nil || code >= 300:
		return nil, err
	case now.Meta.Revision == o.Meta.Revision:
		return nil, worker.Transient(errors.New("kubernetes: update: the API server has stored nothing"))
	}
	return now, now.read()
}

// list reads all objects that have labels: by a quorum, or as the API server remembers them, since a revision.
func (d *driver) list(ctx context.Context, selector, since string) (*sight, error) {
	v := &sight{objects: map[string]*object{}, old: since != ""}
	query := url.Values{"labelSelector": {labelManaged + "=" + managed + "," + selector}, "resourceVersion": {since}}
	if !v.old {
		query.Set("limit", "500")
	}
	for {
		var page struct {
			Meta  struct{ Continue string } `json:"metadata"`
			Items []*object
		}
		code, date, err := d.ask(ctx, "list", "", query, nil, &page)
		if code >= 300 && err == nil { // it has taken longer than etcd keeps what was, or the memory is behind
			return d.list(ctx, selector, "")
		}
		for _, o := range page.Items {
			if err = cmp.Or(err, o.read()); err == nil && o.key == "" {
				err = o.bad // nobody can tell what it is
			}
			v.objects[o.key] = o
		}
		if v.date = date; err != nil || page.Meta.Continue == "" {
			return v, err
		}
		query.Set("continue", page.Meta.Continue)
	}
}
