package fake

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// An etcd is what the API servers of one cluster share: the Leases at all revisions, and who may do what with them.
type etcd struct {
	mu        sync.Mutex
	revision  int64 // one counter for all Leases
	compacted int64 // older ones cannot be read
	history   history
	changed   chan struct{} // closed by the next write
	uids      int
	tokens    map[string]map[string][]string // verbs by namespace
}

// A history is all that Leases were, by their keys.
type history map[string][]state

// A state is what a Lease was from a revision on.
type state struct {
	revision int64
	lease    *Lease // nil: deleted; it never changes
}

// A Lease is an object of coordination.k8s.io/v1, with the fields that the fake keeps.
type Lease struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
	Meta       Meta   `json:"metadata"`
	Spec       Spec   `json:"spec"`
}

// Meta is a Lease's metadata.
type Meta struct {
	Name              string            `json:"name,omitempty"`
	Namespace         string            `json:"namespace,omitempty"`
	UID               string            `json:"uid,omitempty"`
	ResourceVersion   string            `json:"resourceVersion,omitempty"`
	CreationTimestamp string            `json:"creationTimestamp,omitempty"`
	Labels            map[string]string `json:"labels,omitempty"`
	Annotations       map[string]string `json:"annotations,omitempty"`
	Finalizers        []string          `json:"finalizers,omitempty"`
	ManagedFields     json.RawMessage   `json:"managedFields,omitempty"`
}

// Spec is what a Lease says.
type Spec struct {
	HolderIdentity       *string    `json:"holderIdentity,omitempty"`
	LeaseDurationSeconds *int32     `json:"leaseDurationSeconds,omitempty"`
	AcquireTime          *MicroTime `json:"acquireTime,omitempty"`
	RenewTime            *MicroTime `json:"renewTime,omitempty"`
	LeaseTransitions     *int32     `json:"leaseTransitions,omitempty"`
}

// A MicroTime is a time with six digits after the second, no more and no less.
type MicroTime struct{ time.Time }

const microTime = "2006-01-02T15:04:05.000000Z07:00"

// UnmarshalJSON implements [json.Unmarshaler].
func (t *MicroTime) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	at, err := time.Parse(microTime, s)
	t.Time = at
	return err
}

// MarshalJSON implements [json.Marshaler].
func (t MicroTime) MarshalJSON() ([]byte, error) { return json.Marshal(t.UTC().Format(microTime)) }

// at returns a Lease as it was at a revision, nil if there was none.
func (h history) at(key string, revision int64) *Lease {
	for _, s := range slices.Backward(h[key]) {
		if s.revision <= revision {
			return s.lease
		}
	}
	return nil
}

// put stores a Lease under a new revision; nil deletes it.
func (e *etcd) put(key string, lease *Lease) {
	e.revision++
	if lease != nil {
		lease.Meta.ResourceVersion = fmt.Sprint(e.revision)
	}
	e.history[key] = append(e.history[key], state{e.revision, lease})
	e.wake()
}

// wake has those look again who wait for a watch cache.
func (e *etcd) wake() {
	close(e.changed)
	e.changed = make(chan struct{})
}

// keys returns those of a namespace that have ever been written, in order.
func (h history) keys(namespace string) (all []string) {
	for _, key := range slices.Sorted(maps.Keys(h)) {
		if strings.HasPrefix(key, namespace+"/") {
			all = append(all, key)
		}
	}
	return all
}

// Allow lets a token do so much with the Leases of a namespace of Kubernetes, as in "get", "list", "create", "update".
// It replaces what was said of both before.
func (e *etcd) Allow(token, namespace string, verbs ...string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.tokens[token] == nil {
		e.tokens[token] = map[string][]string{}
	}
	e.tokens[token][namespace] = verbs
}

// Forget has a token be one that nobody knows, as one that has ended.
func (e *etcd) Forget(token string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.tokens, token)
}

// Delete deletes a Lease as by hand, with its finalizers, and reports whether it was there.
func (e *etcd) Delete(namespace, name string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := namespace + "/" + name
	if e.history.at(key, e.revision) == nil {
		return false
	}
	e.put(key, nil)
	return true
}

// Edit changes a Lease as by hand, unchecked. It must be there.
func (e *etcd) Edit(namespace, name string, change func(*Lease)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := namespace + "/" + name
	lease := e.history.at(key, e.revision).clone()
	change(lease)
	e.put(key, lease)
}

// Leases returns copies of a namespace's Leases, by name.
func (e *etcd) Leases(namespace string) map[string]*Lease {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := map[string]*Lease{}
	for _, key := range e.history.keys(namespace) {
		if lease := e.history.at(key, e.revision); lease != nil {
			all[lease.Meta.Name] = lease.clone()
		}
	}
	return all
}

func (l *Lease) clone() *Lease {
	text, err := json.Marshal(l)
	if err != nil {
		panic(err)
	}
	var c Lease
	if err := json.Unmarshal(text, &c); err != nil {
		panic(err)
	}
	return &c
}

// Revision returns that of the last write.
func (e *etcd) Revision() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.revision
}

// Compact forgets what was before now: a list that was begun cannot be continued.
func (e *etcd) Compact() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.compacted = e.revision
}

// Backup returns a function that restores a snapshot of now. The revision goes back with it. A watch cache that stands
// still keeps what is lost, as that of an API server that is not started anew then.
func (e *etcd) Backup() (restore func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	revision, compacted, history := e.revision, e.compacted, e.history.copy()
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.revision, e.compacted, e.history = revision, compacted, history.copy()
		e.wake()
	}
}

func (h history) copy() history {
	c := maps.Clone(h)
	for key, states := range c {
		c[key] = slices.Clone(states)
	}
	return c
}
