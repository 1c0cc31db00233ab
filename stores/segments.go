package stores

import (
	"context"
	"fmt"
	"strings"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
)

// segments are the rows of package segment, one for each tag, and a [segment.Store]. All methods may be called by any
// number of goroutines at once.
type segments struct {
	driver Driver
	codec  storage.Codec
}

var _ segment.Store = (*segments)(nil)

// segmentsOf returns the rows of all tags. A Driver of this project may have a form of its own for their texts.
func segmentsOf(d Driver) *segments {
	if c, is := d.(storage.Codec); is {
		return &segments{d, c}
	}
	return &segments{d, storage.JSON{}}
}

// Name returns the place: segments of etcd below uid/.
func (s *segments) Name() string { return "segments of " + s.driver.Name() }

// Inspect implements [segment.Store].
func (s *segments) Inspect(ctx context.Context) (lossy []string, err error) {
	return inspect(ctx, s.driver, Key{Tag: "-", ID: -1}.String(), func(Record) error { return nil })
}

// Change implements [segment.Store]. It takes two requests, and one more each time that another client has
// been faster.
func (s *segments) Change(ctx context.Context, tag string, decide func(*storage.Segment) error) error {
	if err := storage.CheckTag(tag); err != nil {
		return err
	}
	q := Query{Keys: []string{Key{Tag: tag, ID: -1}.String()}}
	return update(ctx, s.driver, q, func(a *Answer) ([]Write, error) {
		is := a.Records[0]
		if is.Text == "" && a.Old {
			return nil, errOld
		}
		row, err := s.parse(tag, is)
		switch {
		case is.Bad != nil && err == nil:
			return nil, fmt.Errorf("%w (its next number was %d)", is.Bad, row.Next)
		case is.Bad != nil:
			return nil, is.Bad
		case err != nil:
			return nil, err
		}
		if err := decide(&row); err != nil {
			return nil, told(err)
		}
		row.Tag, row.Fresh, row.Updated = tag, false, a.Clock.Now
		is.Text, err = s.codec.Text(row)
		return []Write{{Were: a.Records, Puts: []Record{is}}}, err
	})
}

func (s *segments) parse(tag string, is Record) (storage.Segment, error) {
	if is.Text == "" {
		return storage.Segment{Tag: tag, Fresh: true}, nil
	}
	r, err := s.codec.Parse(tag, is.Text)
	if err == nil {
		err = r.Check()
	}
	if err != nil {
		return r, fmt.Errorf("the row of tag %q in %s cannot be read: %w", tag, s.Name(), err)
	}
	return r, nil
}

// Rows implements [segment.Store]. It makes a request for each 500 rows.
func (s *segments) Rows(ctx context.Context, after string, most int) (rows []storage.Segment, err error) {
	err = s.each(ctx, after, most, func(r storage.Segment, _ Record, err error) error {
		if !r.Fresh {
			rows = append(rows, r)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// each calls f with up to most rows after a tag, or what is wrong with them.
func (s *segments) each(ctx context.Context, after string, most int,
	f func(storage.Segment, Record, error) error) error {
	from := segmentsDir
	if after != "" {
		from += after + " " // no key is between
	}
	for most > 0 {
		limit := min(most, page)
		a, err := s.driver.Read(ctx, Query{Ranges: []Range{{from, segmentsDir + "~", limit}}, Newest: true})
		if err != nil {
			return err
		}
		for _, is := range a.Pages[0] {
			tag := strings.TrimPrefix(is.Key, segmentsDir)
			if err := storage.CheckTag(tag); err != nil {
				return fmt.Errorf("%w: the name of the key %.200q does not end with a tag", uid.ErrRange, is.Key)
			}
			row, err := s.parse(tag, is)
			if err := f(row, is, err); err != nil {
				return err
			}
			if from = is.Key + " "; !row.Fresh {
				most--
			}
		}
		if len(a.Pages[0]) < limit {
			return nil
		}
	}
	return nil
}
