package etcd

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/stores"
)

// version is that of an envelope's form. One of another form is refused.
const version = 2

// An envelope is what is etcd's own round the text of a namespace, or of a tag.
type envelope struct {
	Version int `json:"v"`
	// Cluster is the ID of the cluster that has written the text, in hex. A snapshot that is restored
	// under another one does not go on as if nothing had been lost.
	Cluster string `json:"cluster"`
	// ClockError is the bound that all clients of a namespace share, in microseconds; 0 for a tag.
	ClockError int64           `json:"clock_error"`
	Text       json.RawMessage `json:"text"`
}

func hex(n uint64) string { return fmt.Sprintf("%016x", n) }

// isRow reports whether a key is that of a worker ID. Its text is in no envelope: its namespace's is.
func isRow(key string) bool {
	k, ok := stores.ParseKey(key)
	return ok && k.ID >= 0
}

// value returns what is stored of a text.
func (d *driver) value(r stores.Record, cluster uint64) (string, error) {
	if isRow(r.Key) {
		return r.Text, nil
	}
	e := envelope{Version: version, Cluster: hex(cluster), Text: json.RawMessage(r.Text)}
	if k, _ := stores.ParseKey(r.Key); k.Namespace != "" {
		e.ClockError = d.cfg.ClockError.Microseconds()
	}
	data, err := json.Marshal(e)
	return string(data), err
}

// record takes the text out of what is stored, and says why it must not be used: it was written in another
// cluster, or with another bound for the clocks.
func (d *driver) record(kv *mvccpb.KeyValue, cluster uint64) stores.Record {
	key := strings.TrimPrefix(string(kv.Key), d.cfg.Prefix)
	r := stores.Record{Key: key, Text: string(kv.Value), State: kv}
	k, ok := stores.ParseKey(key)
	if !ok || k.ID >= 0 {
		return r
	}
	var e envelope
	err := storage.Strict(r.Text, version, &e)
	own, theirs := d.cfg.ClockError.Microseconds(), e.ClockError
	if n, no := strconv.ParseUint(e.Cluster, 16, 64); err == nil && (no != nil || hex(n) != e.Cluster) {
		err = errors.New("cluster is not a number of 16 hexadecimal digits")
	}
	if err == nil && k.Tag == "" && (theirs < 1 || theirs > maxClockError.Microseconds()) {
		err = fmt.Errorf("clock_error is %d µs, which is not between 1 and %d", theirs, maxClockError.Microseconds())
	}
	r.Text = string(e.Text)
	switch {
	case err != nil:
		r.Text = string(kv.Value) // which is no text of package stores
		r.Bad = fmt.Errorf("%w: etcd: the key %.200q cannot be read: %w", uid.ErrRange, kv.Key, err)
	case e.Cluster == hex(cluster) && (k.Tag != "" || own == theirs):
	case e.Cluster == hex(cluster):
		r.Bad = fmt.Errorf("%w: ClockError is %v, and namespace %q was made with %v: all its clients have to have "+
			"the same", uid.ErrConfig, d.cfg.ClockError, k.Namespace, time.Duration(theirs)*time.Microsecond)
	case k.Tag != "":
		r.Bad = fmt.Errorf("%w: tag %q was written in the etcd cluster %s, this one is %s: a snapshot was restored, "+
			"or the keys were copied, and what was given out since is not known here. Stop all generators of it, "+
			"delete the key %s, and begin the tag anew above all numbers that are in use",
			segment.ErrLost, k.Tag, e.Cluster, hex(cluster), kv.Key)
	default:
		r.Bad = fmt.Errorf("%w: namespace %q was made in the etcd cluster %s, this one is %s: a snapshot was "+
			"restored, or the keys were copied, and writes since then are lost. "+
			"Stop all its workers and delete the key %s; the next start makes it anew, ahead of what may have been "+
			"used", uid.ErrConfig, k.Namespace, e.Cluster, hex(cluster), kv.Key)
	}
	return r
}
