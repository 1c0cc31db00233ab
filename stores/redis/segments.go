package redis

import (
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/stores"
)

// The text of a tag is what its two keys have, the counter and the row, with a newline between. The braces
// put both into one slot of a Redis Cluster. Neither a tag nor a prefix has braces.
func (d *driver) tag(tag string) []string {
	counter := d.prefix + ":segment:{" + tag + "}"
	return []string{counter, counter + ":row"}
}

// segment reads a tag, after it has written it if that is wanted.
func (d *driver) segment(ctx context.Context, tag string, w *stores.Write,
) (stored bool, now *stores.Answer, err error) {
	var args []any
	if w != nil {
		counter, row, _ := strings.Cut(w.Were[0].Text, "\n")
		next, put, _ := strings.Cut(w.Puts[0].Text, "\n")
		args = []any{w.Read.Clock.History, counter, row, next, put}
	}
	a, stored, err := d.run(ctx, segmentScript, w != nil, d.tag(tag), args...)
	if err != nil || stored {
		return stored, nil, err
	}
	now = &stores.Answer{Clock: a.clock, Records: []stores.Record{{Key: stores.Key{Tag: tag, ID: -1}.String()}}}
	now.Records[0].Text, err = a.tag(d.tag(tag))
	return false, now, err
}

// tag returns the text of a tag, of which a script has read both parts.
func (a *answer) tag(keys []string) (text string, err error) {
	for i, v := range a.values {
		if v == "" {
			return "", fmt.Errorf("%w: redis: the key %s is empty", uid.ErrRange, keys[i%len(keys)])
		}
	}
	if text = a.text() + "\n" + a.text(); text == "\n" {
		text = ""
	}
	return text, a.err()
}

// segments reads pages of tags in two round trips.
func (d *driver) segments(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	now := &stores.Answer{}
	for _, r := range q.Ranges {
		_, first, _ := strings.Cut(r.First, "/")
		list := redis.NewStringSliceCmd(ctx, "zrangebylex", d.tags(), "["+first, "+", "limit", 0, r.Limit)
		if err := d.process(ctx, list); err != nil {
			return nil, failed(err)
		}
		answers := make([]*redis.Cmd, len(list.Val()))
		pipe := d.client.Pipeline()
		for i, tag := range list.Val() {
			if storage.CheckTag(tag) != nil { // which may have braces
				return nil, fmt.Errorf("%w: redis: the key %s holds an invalid tag", uid.ErrRange, d.tags())
			}
			answers[i] = pipe.EvalSha(ctx, segmentScript.hash, d.tag(tag))
		}
		err := await(ctx, func() error {
			_, err := pipe.Exec(ctx)
			return err
		})
		if err != nil && ctx.Err() != nil {
			return nil, failed(err)
		}
		var page []stores.Record
		for i, tag := range list.Val() {
			r := stores.Record{Key: stores.Key{Tag: tag, ID: -1}.String()}
			v, err := answers[i].Result()
			switch {
			case redis.HasErrorPrefix(err, "NOSCRIPT"):
				_, one, err := d.segment(ctx, tag, nil)
				if err != nil {
					return nil, err
				}
				r = one.Records[0]
			case err != nil:
				return nil, failed(err)
			default:
				a, err := answerOf(v)
				if err == nil {
					r.Text, err = a.tag(d.tag(tag))
				}
				if err != nil {
					return nil, err
				}
			}
			page = append(page, r)
		}
		now.Pages = append(now.Pages, page)
	}
	return now, nil
}

// A codec is the form of the text of a tag. The next number of a tag is that of a plain counter,
// uid:segment:{TAG}, which any program may draw from with INCR and INCRBY: its value is the last number that
// was given out. As the row has it is only how it was at its last write. A tag whose counter some other
// program has made is a row with the step 1.
type codec struct{}

// Parse implements [storage.Codec].
func (codec) Parse(tag, text string) (row storage.Segment, err error) {
	counter, rest, _ := strings.Cut(text, "\n")
	row = storage.Segment{Tag: tag, Step: 1}
	if rest != "" {
		if row, err = storage.UnmarshalSegment(tag, rest); err != nil {
			return row, err
		}
	}
	if counter == "" {
		return storage.Segment{Tag: tag, Fresh: true, Writes: row.Writes, Floor: row.Floor, Takers: row.Takers}, nil
	}
	last, err := strconv.ParseInt(counter, 10, 64)
	switch {
	case err != nil || strconv.FormatInt(last, 10) != counter:
		return row, fmt.Errorf("%w: its counter is not the text of a whole number", uid.ErrRange)
	case last == math.MaxInt64:
		return row, fmt.Errorf("%w: its counter is %d, which no number can follow", uid.ErrRange, last)
	}
	row.Next = last + 1
	return row, nil
}

// Text implements [storage.Codec].
func (codec) Text(row storage.Segment) (string, error) {
	text, err := storage.MarshalSegment(row, rand.Text())
	return strconv.FormatInt(row.Next-1, 10) + "\n" + text, err
}
