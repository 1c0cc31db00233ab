package redis

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/uidgen/uid/segment"
)

// Segments are the rows of package segment below a prefix, one for each tag, and a [segment.Store].
// Make it with [Store.Segments]. All methods may be called by any number of goroutines at once.
//
// The next number of a tag is that of a plain counter, uid:segment:{TAG}, which any program may
// draw from with INCR and INCRBY: its value is the last number that was given out. A tag whose
// counter some other program has made is a row with the step 1.
type Segments struct {
	store *Store
	known sync.Map // the tags that this process has put into the index
}

var _ segment.Store = (*Segments)(nil)

// Segments returns the rows of all tags below the prefix. Programs that draw numbers of the same
// tags have the same Prefix. It asks no server.
func (s *Store) Segments() *Segments { return &Segments{store: s} }

// Name returns what the names of all keys begin with: segments of Redis keys uid:segment:*.
func (s *Segments) Name() string {
	return fmt.Sprintf("segments of Redis keys %s:segment:*", s.store.prefix)
}

// keys are the counter and the row of a tag. The braces put both into one slot of a Redis
// Cluster, so that a script can use them together. Neither a tag nor a prefix has braces.
func (s *Segments) keys(tag string) []string {
	counter := s.store.prefix + ":segment:{" + tag + "}"
	return []string{counter, counter + ":row"}
}

// index is the key of all tags. It may be on another server than a tag's own keys.
func (s *Segments) index() string { return s.store.prefix + ":segments" }

// Change implements [segment.Store]. It takes two round trips, one more each time that another
// client has been faster, and one more at the first write of a tag in this process.
func (s *Segments) Change(ctx context.Context, tag string, decide func(*segment.Row) error) error {
	if err := segment.CheckTag(tag); err != nil {
		return err
	}
	was, err := s.read(ctx, tag)
	for {
		if err != nil {
			return err
		}
		row, err := was.parse(tag)
		if err != nil {
			return err
		}
		if err := decide(&row); err != nil {
			return err
		}
		is, err := textsOf(tag, row, was.clock.Now)
		if err != nil {
			return err
		}
		// Before the row is there, so that none is without its tag.
		if err := s.register(ctx, tag); err != nil {
			return err
		}
		now, stored, err := s.write(ctx, was, is, tag)
		if err != nil || stored {
			return err
		}
		was = now
	}
}

// register adds a tag to the index, once in each process: the index may be on another server than
// the row, and lose the tag alone.
func (s *Segments) register(ctx context.Context, tag string) error {
	if _, known := s.known.Load(tag); known {
		return nil
	}
	if err := s.store.process(ctx, redis.NewIntCmd(ctx, "zadd", s.index(), 0, tag)); err != nil {
		return failed("register a tag", err)
	}
	s.known.Store(tag, nil)
	return nil
}

// tagsPage is how many tags Rows reads at a time.
const tagsPage = 500

// Rows implements [segment.Store]. It takes two round trips for each 500 rows. It lists the tags
// that this package has written; a counter of another program is among them once a number of its
// tag was taken here.
func (s *Segments) Rows(ctx context.Context, after string, most int) (rows []segment.Row, err error) {
	const doing = "read the segments"
	for len(rows) < most {
		want := min(most-len(rows), tagsPage)
		a, err := s.store.read(ctx, doing, tagsScript, []string{s.index()}, after, want)
		if err != nil {
			return nil, err
		}
		var tags []string
		list := a.list()
		for len(list.values) > 0 {
			tags = append(tags, list.text())
		}
		a.err = list.err
		if err := a.done(doing); err != nil {
			return nil, err
		}
		found, err := s.readAll(ctx, doing, tags)
		if err != nil {
			return nil, err
		}
		rows = append(rows, found...)
		if len(tags) < want {
			break
		}
		after = tags[len(tags)-1]
	}
	return rows, nil
}

// readAll reads the rows of tags. One that is not there is left out: only its tag was registered,
// or its row was removed.
func (s *Segments) readAll(ctx context.Context, doing string, tags []string) (rows []segment.Row, err error) {
	if len(tags) == 0 {
		return nil, nil
	}
	answers := make([]*redis.Cmd, len(tags))
	pipe := s.store.client.Pipeline()
	for i, tag := range tags {
		if err := segment.CheckTag(tag); err != nil {
			return nil, notRow(s.index(), errors.New("it has what is no tag"))
		}
		answers[i] = pipe.EvalSha(ctx, segmentScript.Hash(), s.keys(tag))
	}
	err = await(ctx, func() error {
		_, err := pipe.Exec(ctx)
		return err
	})
	if err != nil && ctx.Err() != nil {
		return nil, failed(doing, err)
	}
	for i, tag := range tags {
		was, err := s.answered(ctx, doing, tag, answers[i])
		if err != nil {
			return nil, err
		}
		row, err := was.parse(tag)
		if err != nil {
			return nil, err
		}
		if !row.Fresh {
			rows = append(rows, row)
		}
	}
	return rows, nil
}
