package kubernetes

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Meta       meta   `json:"metadata"`
	Spec       spec   `json:"spec"`

	state    state
	revision int64 // etcd's, of the write that this is
	bad      error // why the state cannot be used
}

type meta struct {
	Name        string            `json:"name"`
	UID         string            `json:"uid,omitempty"` // without it a PUT would make a deleted object anew
	Revision    string            `json:"resourceVersion,omitempty"`
	Finalizers  []string          `json:"finalizers,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type spec struct {
	Holder      *string `json:"holderIdentity,omitempty"`
	Seconds     *int64  `json:"leaseDurationSeconds,omitempty"`
	Acquired    *string `json:"acquireTime,omitempty"`
	Renewed     *string `json:"renewTime,omitempty"`
	Transitions *int64  `json:"leaseTransitions,omitempty"`
}

// A state is what an object's annotations say.
type state struct {
	key, text string
	stateText
}

type stateText struct {
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
	labelManaged, labelNamespace, labelBlock, labelSegment = "app.kubernetes.io/managed-by", "uidgen/namespace",
		"uidgen/block", "uidgen/segment"
	managed, own = "uid", "own" // their values

	// block is how many rows have one value of labelBlock.
	block = 64
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
	labels = map[string]string{labelManaged: managed}
	switch space := slug(k.Namespace); {
	case k.Namespace == "":
		labels[labelSegment] = slug(k.Tag)
		return "uidseg-" + slug(k.Tag), labels
	case k.ID < 0:
		labels[labelNamespace], labels[labelBlock] = space, own
		return "uid-" + space, labels
	default:
		labels[labelNamespace], labels[labelBlock] = space, fmt.Sprint(k.ID/block)
		return fmt.Sprintf("uid-%s.%d", space, k.ID), labels
	}
}

// read takes what the API server has sent.
func (o *object) read() (err error) {
	// Revisions are compared: they are those of etcd, in decimals.
	if o.revision, err = strconv.ParseInt(o.Meta.Revision, 10, 64); err != nil {
		return fmt.Errorf("%w: kubernetes: the resourceVersion of the Lease %.253s is no number: this cluster has another "+
			"storage than etcd", uid.ErrConfig, o.Meta.Name)
	}
	o.state.key, o.state.text = o.Meta.Annotations[annotationKey], o.Meta.Annotations[annotationText]
	err = storage.Strict(o.Meta.Annotations[annotationState], version, &o.state.stateText)
	name, _ := place(o.state.key)
	if _, ok := stores.ParseKey(o.state.key); err == nil && (!ok || name != o.Meta.Name) {
		err = fmt.Errorf("its key is not that of its name")
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

// next returns the object that replaces o, which is nil where there is none, under a key.
func (o *object) next(key, text string, s stateText) *object {
	n := &object{APIVersion: "coordination.k8s.io/v1", Kind: "Lease", state: state{key, text, s}}
	n.state.Version = version
	n.Meta.Name, n.Meta.Labels = place(key)
	if o != nil {
		n.Meta.UID, n.Meta.Revision, n.Meta.Finalizers = o.Meta.UID, o.Meta.Revision, o.Meta.Finalizers
	}
	data, _ := json.Marshal(n.state.stateText) // of numbers and strings
	n.Meta.Annotations = map[string]string{annotationKey: key, annotationText: text, annotationState: string(data)}
	if k, _ := stores.ParseKey(key); k.ID >= 0 {
		n.describe(k.ID, o)
	}
	return n
}

// describe fills the fields that Kubernetes has for leases.
func (o *object) describe(id int64, was *object) {
	row, err := storage.ParseLease(id, o.state.text)
	if err != nil || row.Unused() {
		return
	}
	stamp := func(t time.Time) *string {
		text := t.UTC().Format("2006-01-02T15:04:05.000000Z07:00")
		return &text
	}
	seconds := min(max(1, int64(row.Until.Sub(row.Renewed)/time.Second)), math.MaxInt32)
	transitions := int64(0)
	o.Spec = spec{Seconds: &seconds, Acquired: stamp(row.Acquired), Renewed: stamp(row.Renewed), Transitions: &transitions}
	if was != nil && was.Spec.Transitions != nil {
		transitions = *was.Spec.Transitions
		if a := was.Spec.Acquired; a == nil || *a != *o.Spec.Acquired {
			transitions++
		}
	}
	if row.Nonce != "" && row.Holder != "" {
		o.Spec.Holder = &row.Holder
	}
}

// logged is a namespace's log with its newest write.
func (o *object) logged() []int64 { return append(slices.Clone(o.state.Log), o.revision) }

// counts reports whether the text of a row is the row's, by its namespace's object as it is at the row's revision or
// later: what it says then does not change any more. Without that object nobody can tell, and one that is made anew does
// not know better; its floor is above all that any of these rows has reserved.
func (o *object) counts(space *object) bool {
	if space == nil {
		return true
	}
	log := space.logged()
	i, found := slices.BinarySearch(log, o.state.On)
	switch {
	case o.state.On < log[0]:
		return o.revision < log[0]
	case !found || o.state.On > o.revision:
		return false // it was decided on a write that is lost: etcd was put back
	}
	return i+1 == len(log) || o.revision < log[i+1]
}

// text is what is under a row's key.
func (o *object) text(space *object) string {
	if o == nil {
		return ""
	}
	if o.counts(space) {
		return o.state.text
	}
	return o.state.Was
}
