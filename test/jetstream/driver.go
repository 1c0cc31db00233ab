// Package jetstream is an example of a driver of package stores that nobody asked for: leases and segments in
// NATS JetStream's key-value store. It is no product: copy what you like.
//
// A bucket writes one key at a time, and only if it has the revision that was read. So all of a namespace is
// in one value, and so is each tag. That suits some hundred workers: a value has a megabyte at most, and a
// renewal that meets another one is sent again.
//
// It says of itself that it is not durable. A server acknowledges what it has not yet synced to its disk
// (every two minutes by default), and tells no history: so each acquisition begins ahead of the clock, unless
// the user vouches for the servers with lease.Config's Losses. One server, or a stream with one replica: with more,
// replicas answer reads that may be old.
package jetstream

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/worker"
)

// A Driver is a [stores.Driver] over a bucket. ClockError bounds how far the clock of any client is off true
// time.
type Driver struct {
	Bucket     jetstream.KeyValue
	ClockError time.Duration
}

var (
	_ stores.Driver = Driver{}
	_ stores.Lister = Driver{}
)

// Name implements [stores.Driver].
func (d Driver) Name() string { return "JetStream bucket " + d.Bucket.Bucket() }

// Durable implements [stores.Driver].
func (d Driver) Durable() bool { return false }

// place is the bucket's key that has the text of a key: that of its namespace, or of its tag.
func place(key string) string {
	k, _ := stores.ParseKey(key)
	if k.Namespace == "" {
		return "tag." + base64.RawURLEncoding.EncodeToString([]byte(k.Tag))
	}
	return "namespace." + base64.RawURLEncoding.EncodeToString([]byte(k.Namespace))
}

// get reads a value: texts under their keys, and the revision.
func (d Driver) get(ctx context.Context, place string) (texts map[string]string, revision uint64, err error) {
	texts = map[string]string{}
	entry, err := d.Bucket.Get(ctx, place)
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return texts, 0, nil
	case err != nil:
		return nil, 0, failed(err)
	}
	return texts, entry.Revision(), json.Unmarshal(entry.Value(), &texts)
}

// failed withholds the texts of errors, which may quote an account. All of them may pass: the next start says so.
func failed(err error) error {
	for _, known := range []error{context.Canceled, context.DeadlineExceeded, jetstream.ErrNoStreamResponse} {
		if errors.Is(err, known) {
			return worker.Transient(fmt.Errorf("jetstream: %w", known))
		}
	}
	return worker.Transient(fmt.Errorf("jetstream: the request failed (%T)", err))
}

// Read implements [stores.Driver].
func (d Driver) Read(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	var first string
	if len(q.Keys) > 0 {
		first = q.Keys[0]
	} else if first = q.Ranges[0].First; strings.HasPrefix(place(first), "tag.") {
		return d.tags(ctx, q)
	}
	texts, _, err := d.get(ctx, place(first))
	if err != nil {
		return nil, err
	}
	return d.answer(texts, q), nil
}

func (d Driver) answer(texts map[string]string, q stores.Query) *stores.Answer {
	a := &stores.Answer{Clock: stores.Clock{Now: time.Now().UTC().Truncate(time.Microsecond), Error: d.ClockError}}
	for _, key := range q.Keys {
		a.Records = append(a.Records, stores.Record{Key: key, Text: texts[key]})
	}
	for _, r := range q.Ranges {
		var page []stores.Record
		for _, key := range slices.Sorted(maps.Keys(texts)) {
			if r.First <= key && key <= r.Last && len(page) < r.Limit {
				page = append(page, stores.Record{Key: key, Text: texts[key]})
			}
		}
		a.Pages = append(a.Pages, page)
	}
	return a
}

// Write implements [stores.Driver]. Somebody who has written other keys of the value makes it try again.
func (d Driver) Write(ctx context.Context, w stores.Write) (stored bool, now *stores.Answer, err error) {
	at := place(w.Were[0].Key)
	for {
		texts, revision, err := d.get(ctx, at)
		if err != nil {
			return false, nil, err
		}
		if slices.ContainsFunc(w.Were, func(r stores.Record) bool { return texts[r.Key] != r.Text }) {
			return false, d.answer(texts, w.Otherwise), nil
		}
		for _, put := range w.Puts {
			texts[put.Key] = put.Text
		}
		value, err := json.Marshal(texts)
		if err != nil {
			return false, nil, err
		}
		_, err = d.Bucket.Update(ctx, at, value, revision)
		api, is := errors.AsType[*jetstream.APIError](err)
		if is && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
			continue
		}
		if err != nil {
			return false, nil, failed(err)
		}
		return true, nil, nil
	}
}

// list returns the names that a kind of places in the bucket has.
func (d Driver) list(ctx context.Context, kind string) (names []string, err error) {
	l, err := d.Bucket.ListKeysFiltered(ctx, kind+"*")
	if err != nil {
		return nil, failed(err)
	}
	for at := range l.Keys() {
		if name, err := base64.RawURLEncoding.DecodeString(at[len(kind):]); err == nil && len(name) > 0 {
			names = append(names, string(name))
		}
	}
	return names, nil
}

// Namespaces implements [stores.Lister].
func (d Driver) Namespaces(ctx context.Context) ([]string, stores.Clock, error) {
	names, err := d.list(ctx, "namespace.")
	return names, d.answer(nil, stores.Query{}).Clock, err
}

// tags reads pages of tags.
func (d Driver) tags(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	tags, err := d.list(ctx, "tag.")
	texts := map[string]string{}
	for _, tag := range tags {
		key := stores.Key{Tag: tag, ID: -1}.String()
		one, _, err := d.get(ctx, place(key))
		if err != nil {
			return nil, err
		}
		texts[key] = one[key]
	}
	return d.answer(texts, q), err
}
