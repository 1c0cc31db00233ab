package redis

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/segmentjson"
	"github.com/uidgen/uid/segment"
)

// texts are what the keys of a tag have, or are to have: the last number that was given out, and
// the row as package segmentjson writes it, with the next number as of its last write. "" stands
// for a key that is not there. Redis compares texts; its scripts would read numbers as floats.
type texts struct {
	counter, row string
}

// A reading is the texts of a tag as a script has read them.
type reading struct {
	state
	texts
	keys []string
}

func (s *Segments) read(ctx context.Context, tag string) (r reading, err error) {
	const doing = "read a segment"
	a, err := s.store.read(ctx, doing, segmentScript, s.keys(tag))
	if err != nil {
		return r, err
	}
	return s.reading(doing, tag, a)
}

// reading takes the answer of segmentScript.
func (s *Segments) reading(doing, tag string, a *answer) (r reading, err error) {
	r = reading{state: a.state, keys: s.keys(tag)}
	for i, text := range []*string{&r.counter, &r.row} {
		there := len(a.values) > 0 && a.values[0] != nil
		if *text = a.text(); *text == "" && there {
			return r, notRow(r.keys[i], errors.New("it is empty"))
		}
	}
	return r, a.done(doing)
}

// parse returns the row. The next number is the counter's, as the row has it is only how it was at its
// last write.
func (r reading) parse(tag string) (row segment.Row, err error) {
	row = segment.Row{Tag: tag, Step: 1}
	if r.row != "" {
		if row, err = segmentjson.UnmarshalRow(tag, r.row); err != nil {
			return row, notRow(r.keys[1], err)
		}
	}
	if r.counter == "" {
		return segment.Row{Tag: tag, Fresh: true, Writes: row.Writes, Floor: row.Floor, Takers: row.Takers}, nil
	}
	last, err := strconv.ParseInt(r.counter, 10, 64)
	if err != nil || strconv.FormatInt(last, 10) != r.counter {
		return row, notRow(r.keys[0], errors.New("it is not the text of a whole number"))
	}
	if last == math.MaxInt64 {
		return row, notRow(r.keys[0], fmt.Errorf("it is %d, which no number can follow", last))
	}
	row.Next = last + 1
	return row, row.Check()
}

// notRow is the error of a key that nobody can have written who draws numbers. It wraps
// [uid.ErrRange], and quotes nothing but numbers.
func notRow(key string, why error) error {
	if errors.Is(why, uid.ErrRange) {
		return fmt.Errorf("redis: the key %s cannot be read: %w", key, why)
	}
	return fmt.Errorf("%w: redis: the key %s cannot be read: %w", uid.ErrRange, key, why)
}

// textsOf returns what to write. Each text of a row has a random token of its own; see value.go.
func textsOf(tag string, row segment.Row, now time.Time) (is texts, err error) {
	row.Tag, row.Fresh, row.Updated = tag, false, now
	if is.row, err = segmentjson.MarshalRow(row, rand.Text()); err != nil {
		return is, err
	}
	is.counter = strconv.FormatInt(row.Next-1, 10)
	return is, nil
}

// write stores texts. If something was written since they were read, or may have been lost, it
// stores nothing, and returns what is there now.
func (s *Segments) write(ctx context.Context, was reading, is texts, tag string) (now reading, stored bool, err error) {
	const doing = "write a segment"
	v, err := s.store.run(ctx, doing, segmentWriteScript, was.keys, was.history, was.counter, was.row, is.counter, is.row)
	if err != nil || v == "stored" {
		return now, err == nil, err
	}
	a, err := answerOf(doing, v)
	if err != nil {
		return now, false, err
	}
	now, err = s.reading(doing, tag, a)
	return now, false, err
}

// answered returns what a command of a pipeline has read. A server that does not have the script
// gets it.
func (s *Segments) answered(ctx context.Context, doing, tag string, cmd *redis.Cmd) (reading, error) {
	v, err := cmd.Result()
	switch {
	case redis.HasErrorPrefix(err, "NOSCRIPT"):
		return s.read(ctx, tag)
	case err != nil:
		return reading{}, failed(doing, err)
	}
	a, err := answerOf(doing, v)
	if err != nil {
		return reading{}, err
	}
	return s.reading(doing, tag, a)
}
