package zookeeper

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-zookeeper/zk"

	"github.com/uidgen/uid/internal/segmentjson"
	"github.com/uidgen/uid/segment"
)

// Segments are the rows of package segment below the Root, one node for each tag, and a
// [segment.Store]. Make it with [Store.Segments]. All methods may be called by any number of
// goroutines at once.
//
// Do not delete the node of a tag while anybody draws its numbers: one that is made anew begins with
// version 0 again, by which a write that is on its way may take it for the old one.
type Segments struct {
	*Store
	dir string // the node above them
}

var _ segment.Store = (*Segments)(nil)

// Segments returns the rows of all tags below the Root. Programs that draw numbers of the same tags
// have the same Root. It asks nothing of the ensemble.
func (s *Store) Segments() *Segments { return &Segments{s, s.root + "/" + segmentsName} }

// Name returns the node: segments of ZooKeeper node /uid/.segments.
func (s *Segments) Name() string { return "segments of ZooKeeper node " + s.dir }

// Inspect implements [segment.Store]. A client cannot see what makes servers lose writes
// (forceSync=no, say), so that it returns none.
func (s *Segments) Inspect(ctx context.Context) (lossy []string, err error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	var n node
	if err := together(ctx, s.get(s.dir, &n)); err != nil {
		return nil, err
	}
	return nil, n.err
}

// Change implements [segment.Store]. It takes two round trips, and again two for each time that
// another client has been faster; some more when it makes a row, and before it returns an error
// of decide.
func (s *Segments) Change(ctx context.Context, tag string, decide func(*segment.Row) error) error {
	if err := segment.CheckTag(tag); err != nil {
		return err
	}
	path := s.row(tag)
	return s.transact(ctx, func(a attempt) error {
		var was node
		if err := together(ctx, s.get(path, &was)); err != nil {
			return err
		}
		row, err := readSegment(path, tag, was)
		if err != nil {
			return err
		}
		if err := a.whole(); err != nil {
			return err
		}
		if row.Fresh && !a.sure { // an old state may lack it
			return refused{errRaced, false, nil, true}
		}
		if err := decide(&row); err != nil {
			if !was.found { // which is certain
				return err
			}
			return refused{err, true, []any{&zk.CheckVersionRequest{Path: path, Version: was.version}}, false}
		}
		data, err := s.writeSegment(path, tag, row)
		if err != nil {
			return err
		}
		if was.found {
			_, err = s.write(ctx, path, &zk.SetDataRequest{Path: path, Data: data, Version: was.version})
			return err
		}
		if err := s.makeAll(ctx, s.dir); err != nil {
			return err
		}
		_, err = s.write(ctx, path, &zk.CreateRequest{Path: path, Data: data, Acl: s.acl})
		return err
	})
}

// Rows implements [segment.Store]. It lists all tags, and reads only the rows that it returns.
func (s *Segments) Rows(ctx context.Context, after string, most int) (rows []segment.Row, err error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	if _, _, err := s.barrier(ctx); err != nil {
		return nil, err
	}
	var children names
	if err := together(ctx, s.children(s.dir, &children)); err != nil {
		return nil, err
	}
	if children.err != nil {
		return nil, children.err
	}
	var tags []string
	for _, name := range children.names {
		if tag, ok := unescape(name); ok && tag > after {
			tags = append(tags, tag)
		}
	}
	slices.Sort(tags)
	for len(tags) > 0 && len(rows) < most {
		part := tags[:min(len(tags), batch, most-len(rows))]
		tags = tags[len(part):]
		nodes := make([]node, len(part))
		var gets []func()
		for i, tag := range part {
			gets = append(gets, s.get(s.row(tag), &nodes[i]))
		}
		if err := together(ctx, gets...); err != nil {
			return nil, err
		}
		for i, tag := range part {
			row, err := readSegment(s.row(tag), tag, nodes[i])
			if err != nil {
				return nil, err
			}
			if !row.Fresh { // it was removed since
				rows = append(rows, row)
			}
		}
	}
	return rows, nil
}

// row returns the path of the row of a tag.
func (s *Segments) row(tag string) string { return s.dir + "/" + escape(tag) }

func readSegment(path, tag string, n node) (segment.Row, error) {
	if n.err != nil || !n.found {
		return segment.Row{Tag: tag, Fresh: true}, n.err
	}
	row, err := segmentjson.UnmarshalRow(tag, string(n.data))
	if err != nil {
		return row, fmt.Errorf("zookeeper: the data of node %s cannot be read: %w", path, err)
	}
	return row, nil
}

func (s *Segments) writeSegment(path, tag string, row segment.Row) ([]byte, error) {
	row.Tag, row.Fresh, row.Updated = tag, false, s.clock().Now
	text, err := segmentjson.MarshalRow(row, "")
	return []byte(text), unwritable(path, err)
}
