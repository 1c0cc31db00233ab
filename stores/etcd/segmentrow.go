package etcd

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/leasejson"
	"github.com/uidgen/uid/internal/segmentjson"
	"github.com/uidgen/uid/segment"
)

// A segmentValue is the value of the key of a tag: the row, as all stores write it, in an object
// with what is etcd's own.
type segmentValue struct {
	Version int `json:"v"`
	// Cluster is the ID of the cluster that has written the row, in hex. A snapshot that is
	// restored under another one does not go on as if nothing had been lost.
	Cluster string `json:"cluster"`
	// Row is as package segmentjson writes it.
	Row json.RawMessage `json:"row"`

	row segment.Row
}

// key is that of a tag. It is not escaped, so that the order of keys is that of tags.
func (s *Segments) key(tag string) string { return s.keys + tag }

// tag reads the tag from a key.
func (s *Segments) tag(key string) (string, error) {
	tag := strings.TrimPrefix(key, s.keys)
	if err := segment.CheckTag(tag); err != nil {
		return "", fmt.Errorf("%w: etcd: the name of the key %.200q does not end with a tag", uid.ErrRange, key)
	}
	return tag, nil
}

// offer returns the row that a decision gets. It refuses one that another cluster has written.
func (s *Segments) offer(tag string, was record, cluster uint64) (segment.Row, error) {
	if !was.found() {
		return segment.Row{Tag: tag, Fresh: true}, nil
	}
	v, err := decodeSegment(tag, was)
	if err != nil {
		return v.row, err
	}
	return v.row, v.fits(was.key, cluster)
}

// fits refuses a row that was written in another cluster.
func (v segmentValue) fits(key string, cluster uint64) error {
	if v.Cluster == hex(cluster) {
		return nil
	}
	return fmt.Errorf("%w: tag %q was written in the etcd cluster %s with the next number %d, this one is %s: a snapshot was restored, or the keys were copied, "+
		"and what was given out since is not known here. Stop all who draw its numbers, delete the key %s, and begin the tag anew above all numbers that are in use",
		segment.ErrLost, v.row.Tag, v.Cluster, v.row.Next, hex(cluster), key)
}

// put writes a row. Like a lease's it is attached to no lease of etcd; see [Leases.putRow].
func (s *Segments) put(tag string, row segment.Row, cluster uint64) (clientv3.Op, error) {
	row.Tag, row.Fresh, row.Updated = tag, false, s.store.clock().Now
	text, err := segmentjson.MarshalRow(row, rand.Text())
	if err != nil {
		return clientv3.Op{}, err
	}
	data, err := json.Marshal(segmentValue{Version: version, Cluster: hex(cluster), Row: json.RawMessage(text)})
	return clientv3.OpPut(s.key(tag), string(data)), err
}

func decodeSegment(tag string, is record) (v segmentValue, err error) {
	if err := leasejson.Strict(string(is.data), version, &v); err != nil {
		return v, unreadableRow(is.key, fmt.Errorf("%w: %w", uid.ErrRange, err))
	}
	if !isCluster(v.Cluster) {
		return v, unreadableRow(is.key, fmt.Errorf("%w: cluster is not a number of 16 hexadecimal digits", uid.ErrRange))
	}
	if v.row, err = segmentjson.UnmarshalRow(tag, string(v.Row)); err != nil {
		return v, unreadableRow(is.key, err)
	}
	return v, nil
}

// unreadableRow is the error of a value that is no row. It quotes nothing of it.
func unreadableRow(key string, why error) error {
	return fmt.Errorf("etcd: the key %.200q cannot be read: %w", key, why)
}
