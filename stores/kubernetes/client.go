package kubernetes

import (
	"bytes"
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

// verbs are what a request is called where rights are given.
var verbs = map[string]string{http.MethodGet: "get", http.MethodPost: "create", http.MethodPut: "update"}

// A refusal is the status of an answer that says no.
type refusal int

const (
	errMissing  refusal = http.StatusNotFound
	errConflict refusal = http.StatusConflict // another revision, or one that is there
	errExpired  refusal = http.StatusGone     // of a continued list
)

func (r refusal) Error() string { return fmt.Sprintf("%d %s", int(r), http.StatusText(int(r))) }

// ask makes a request, and waits and makes it again where the server was too busy to begin. It returns when the answer
// was given, by the server's clock, in whole seconds.
func (d *driver) ask(ctx context.Context, method, path string, query url.Values, in, out any) (date time.Time, err error) {
	verb := verbs[method]
	if path == "" && method == http.MethodGet {
		verb = "list"
	}
	for {
		resp, text, err := d.send(ctx, method, path+"?"+query.Encode(), in)
		if err != nil {
			return date, d.failed(ctx, verb, err)
		}
		date, _ = http.ParseTime(resp.Header.Get("Date"))
		switch code := resp.StatusCode; {
		case code == http.StatusTooManyRequests: // nothing was done
			after, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
			if err := pause(ctx, 2*time.Duration(max(after, 1))*time.Second); err != nil {
				return date, d.failed(ctx, verb, err)
			}
			continue
		case code == http.StatusNotFound, code == http.StatusConflict, code == http.StatusGone:
			return date, refusal(code)
		case code == http.StatusForbidden:
			return date, fmt.Errorf("%w: kubernetes: the account may not %s leases.coordination.k8s.io in the namespace %s: "+
				"its Role has to have the verbs get, list, create and update", uid.ErrConfig, verb, d.cfg.Namespace)
		case code == http.StatusUnauthorized:
			return date, worker.Transient(fmt.Errorf("kubernetes: %s: the API server does not accept the token", verb))
		case code >= 500:
			return date, worker.Transient(fmt.Errorf("kubernetes: %s: the API server answered %w", verb, refusal(code)))
		case code >= 300:
			var status struct{ Message string } // about the object, which has no secret
			_ = json.Unmarshal(text, &status)
			return date, fmt.Errorf("kubernetes: %s: the API server answered %w: %.300s", verb, refusal(code), status.Message)
		}
		if err := json.Unmarshal(text, out); err != nil {
			return date, fmt.Errorf("kubernetes: %s: the answer cannot be read", verb) // it may be that of a proxy
		}
		return date, nil
	}
}

// send makes one request.
func (d *driver) send(ctx context.Context, method, path string, in any) (resp *http.Response, text []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, d.cfg.RequestTimeout)
	defer cancel()
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, nil, err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, d.cfg.URL+"/apis/coordination.k8s.io/v1/namespaces/"+
		d.cfg.Namespace+"/leases"+path, body)
	if err != nil {
		return nil, nil, err
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}, "User-Agent": {"uid"}}
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
func (d *driver) failed(ctx context.Context, verb string, err error) error {
	if e := ctx.Err(); e != nil {
		return worker.Transient(fmt.Errorf("kubernetes: %s: %w", verb, e))
	}
	if inner, is := errors.AsType[*url.Error](err); is {
		err = inner.Err // without the URL
	}
	err = fmt.Errorf("kubernetes: %s: %w", verb, err)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return worker.Unreachable(err)
	}
	return worker.Transient(err)
}

// pause waits for half of a time to one and a half, so that those who wait do not come back at once.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d/2 + rand.N(d))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// get reads an object, nil if there is none, as all reads are: by a quorum of etcd, and not from the API server's memory,
// which can be behind, or show what etcd has lost.
func (d *driver) get(ctx context.Context, key string) (*object, time.Time, error) {
	name, _ := place(key)
	o := &object{}
	date, err := d.ask(ctx, http.MethodGet, "/"+name, nil, nil, o)
	switch err {
	case errMissing:
		return nil, date, nil
	case nil:
		err = o.read()
	}
	return o, date, err
}

// put stores an object, if the one that it replaces is there unchanged, or there is none. now is nil if it is not stored.
func (d *driver) put(ctx context.Context, o *object) (now *object, err error) {
	method, path := http.MethodPut, "/"+o.Meta.Name
	if o.Meta.UID == "" {
		method, path = http.MethodPost, ""
	}
	now = &object{}
	_, err = d.ask(ctx, method, path, nil, o, now)
	switch {
	case err == errConflict || err == errMissing:
		return nil, nil
	case err != nil:
		return nil, err
	case now.Meta.Revision == o.Meta.Revision:
		return nil, worker.Transient(errors.New("kubernetes: update: the API server has stored nothing"))
	}
	return now, now.read()
}

// A list is objects, all as they are at one revision, by their keys.
type list struct {
	objects map[string]*object
	date    time.Time
}

// list reads all objects that have labels.
func (d *driver) list(ctx context.Context, selector string) (l list, err error) {
	l.objects = map[string]*object{}
	for next := ""; ; {
		var page struct {
			Meta  struct{ Continue string } `json:"metadata"`
			Items []*object
		}
		query := url.Values{"labelSelector": {labelManaged + "=" + managed + "," + selector}, "limit": {"500"}}
		if next != "" {
			query.Set("continue", next)
		}
		l.date, err = d.ask(ctx, http.MethodGet, "", query, nil, &page)
		if err == errExpired && next != "" {
			return d.list(ctx, selector) // it has taken longer than etcd keeps what was
		}
		if err != nil {
			return l, err
		}
		for _, o := range page.Items {
			if err := o.read(); err != nil {
				return l, err
			}
			if name, _ := place(o.state.key); name != o.Meta.Name {
				return l, o.bad // nobody can tell what it is
			}
			l.objects[o.state.key] = o
		}
		if next = page.Meta.Continue; next == "" {
			return l, nil
		}
	}
}
