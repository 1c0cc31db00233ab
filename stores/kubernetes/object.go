package kubernetes

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/stores"
)

// An object is a Lease of coordination.k8s.io/v1. It holds the text under one key. What its spec says is for people.
type object struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Meta       meta           `json:"metadata"`
	Spec       map[string]any `json:"spec"`

	key, text string
	state     state
	revision  int64 // etcd's, of the write that this is
	bad       error // why the state cannot be used
}

type meta struct {
	Name        string            `json:"name"`
	UID         string            `json:"uid,omitempty"` // without it a PUT would make a deleted object anew
	Revision    string            `json:"resourceVersion,omitempty"`
	Finalizers  []string          `json:"finalizers,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// A state is what an object's annotations say besides.
type state struct {
	Version int `json:"v"`

	// Of a row: its text counts if the namespace's object was not written after revision On, until the row's own
	// revision. Else Was does. See counts.
	On  int64  `json:"on,omitempty"`
	Was string `json:"was,omitempty"`

	// Of a namespace: the revisions of its former writes, from the first that is remembered on. Of rows that were
	// decided on before that, those count that were stored before it.
	Log []int64 `json:"log,omitempty"`
	// UID is that of the object itself, from its second write on: a copy has another one.
	UID string `json:"uid,omitempty"`
	// ClockError is the bound that all clients of a namespace share, in microseconds.
	ClockError int64 `json:"clock_error,omitempty"`
}

const (
	version = 1

	annotationKey, annotationText, annotationState = "uidgen/key", "uidgen/text", "uidgen/state"

	// The labels that tell objects apart, for lists.
	labelManaged, labelNamespace, labelID, labelSegment = "app.kubernetes.io/managed-by", "uidgen/namespace",
		"uidgen/id", "uidgen/segment"
	managed, own = "uid", "own" // values of the first and the third
)

var plain = regexp.MustCompile(`^[a-wyz0-9]([-a-z0-9]{0,50}[a-z0-9])?$`)

// slug is what stands for a name of ours in a name of Kubernetes: itself, or x and a hash.
func slug(name string) string {
	if plain.MatchString(name) {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return "x" + hex.EncodeToString(sum[:16])
}

// place returns the name of the object of a key, and its labels.
func place(key string) (name string, labels map[string]string) {
	k, _ := stores.ParseKey(key)
	if k.Namespace == "" {
		tag := slug(k.Tag)
		return "uidseg-" + tag, map[string]string{labelManaged: managed, labelSegment: tag}
	}
	space, id := slug(k.Namespace), own
	if name = "uid-" + space; k.ID >= 0 {
		id = fmt.Sprint(k.ID)
		name += "." + id
	}
	return name, map[string]string{labelManaged: managed, labelNamespace: space, labelID: id}
}

// read takes what the API server has sent.
func (o *object) read() (err error) {
	// Revisions are compared: they are those of etcd, in decimals.
	if o.revision, err = strconv.ParseInt(o.Meta.Revision, 10, 64); err != nil {
		return fmt.Errorf("%w: kubernetes: the resourceVersion of the Lease %.253s is no number: this cluster has "+
			"another storage than etcd", uid.ErrConfig, o.Meta.Name)
	}
	o.key, o.text = o.Meta.Annotations[annotationKey], o.Meta.Annotations[annotationText]
	err = storage.Strict(o.Meta.Annotations[annotationState], version, &o.state)
	if name, _ := place(o.key); name != o.Meta.Name {
		o.key, err = "", errors.New("its key is not that of its name")
	}
	if err == nil && !slices.IsSorted(append(slices.Clone(o.state.Log), o.revision)) {
		err = fmt.Errorf("its log is not in order")
	}
	if err != nil {
		o.bad = fmt.Errorf("%w: kubernetes: the annotations of the Lease %.253s cannot be read: %w", uid.ErrRange,
			o.Meta.Name, err)
	}
	return nil
}

// next returns the object of a record that is put. It replaces the one that was read.
func next(put stores.Record, s state) *object {
	n := &object{APIVersion: "coordination.k8s.io/v1", Kind: "Lease", key: put.Key, text: put.Text, state: s}
	n.state.Version = version
	n.Meta.Name, n.Meta.Labels = place(put.Key)
	o, _ := put.State.(*object)
	if o != nil {
		n.Meta.UID, n.Meta.Revision, n.Meta.Finalizers = o.Meta.UID, o.Meta.Revision, o.Meta.Finalizers
		n.state.UID = o.Meta.UID
	}
	data, _ := json.Marshal(n.state) // of numbers and strings
	n.Meta.Annotations = map[string]string{annotationKey: n.key, annotationText: n.text, annotationState: string(data)}
	if k, _ := stores.ParseKey(n.key); k.ID >= 0 {
		n.describe(k.ID, o)
	}
	return n
}

// describe fills the fields that Kubernetes has for leases.
func (o *object) describe(id int64, was *object) {
	row, err := storage.ParseLease(id, o.text)
	if err != nil || row.Unused() {
		return
	}
	const stamp = "2006-01-02T15:04:05.000000Z07:00"
	acquired, transitions := row.Acquired.UTC().Format(stamp), 0.
	if was != nil {
		transitions, _ = was.Spec["leaseTransitions"].(float64)
		if before := was.Spec["acquireTime"]; before != nil && before != acquired {
			transitions++
		}
	}
	seconds := min(max(1, int64(row.Until.Sub(row.Renewed)/time.Second)), math.MaxInt32)
	o.Spec = map[string]any{"acquireTime": acquired, "renewTime": row.Renewed.UTC().Format(stamp),
		"leaseTransitions": transitions, "leaseDurationSeconds": seconds}
	if row.Nonce != "" && row.Holder != "" {
		o.Spec["holderIdentity"] = row.Holder
	}
}

// logged is a namespace's log with its newest write.
func (o *object) logged() []int64 { return append(slices.Clone(o.state.Log), o.revision) }

// counts reports whether the text of a row is the row's, by its namespace's object as it is at the row's revision or
// later: what it says then does not change any more. Without that object nobody can tell, and one that is made anew
// does not know better; its floor is above all that any of these rows has reserved.
func (o *object) counts(space *object) bool {
	if space == nil {
		return true
	}
	log := space.logged()
	if o.state.On < log[0] {
		return o.revision < log[0]
	}
	// A write that is not found, or later than the row, is lost: etcd was put back.
	i, found := slices.BinarySearch(log, o.state.On)
	return found && o.state.On <= o.revision && (i+1 == len(log) || o.revision < log[i+1])
}
