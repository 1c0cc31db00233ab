package storage

// Texts are JSON for stores that keep texts under keys. All such stores use it, so that people and tools read one form.
//
// Times and durations are in microseconds, times since 1970. What is read must be exactly what
// would be written of it: a text with anything missing, unknown, or written by a newer version
// is refused, and so is a number that no worker can have written. Nothing is replaced by a
// default. No error repeats anything of a text but numbers.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/uidgen/uid"
)

// The versions of the forms. A program that finds a higher one is too old to judge it. Namespaces of
// version 1 did not say which worker IDs ever had a row, those of version 2 no history; rows of
// version 1 said how far their owner would reserve.
const (
	leaseVersion     = 2
	namespaceVersion = 3
)

type head struct {
	Version int `json:"v"`
	// Write tells writes apart, in stores that have no versions of their own. No two writes have
	// the same.
	Write string `json:"write,omitempty"`
}

type leaseText struct {
	head
	Nonce    string `json:"nonce"`
	High     int64  `json:"high"`
	Until    int64  `json:"until"`
	Layout   string `json:"layout"`
	Holder   string `json:"holder"`
	Acquired int64  `json:"acquired"`
	Renewed  int64  `json:"renewed"`
}

type namespaceText struct {
	head
	Layout  string `json:"layout"`
	First   int64  `json:"first"`
	Last    int64  `json:"last"`
	Given   int64  `json:"given"`
	Floor   int64  `json:"floor"`
	History string `json:"history"`
	Made    int64  `json:"made"`
	Renewed int64  `json:"renewed"`
}

// LeaseText returns the text of a row. write may be empty. The worker ID is not part of the text. The
// error wraps [uid.ErrRange] or [uid.ErrConfig] when the row has what no store can keep.
func LeaseText(r Lease, write string) (string, error) {
	var f fields
	return f.json(leaseText{
		head{leaseVersion, write}, f.text("nonce", r.Nonce), r.High,
		f.micros("until", r.Until), f.text("layout", r.Layout), f.text("holder", r.Holder),
		f.micros("acquired", r.Acquired), f.micros("renewed", r.Renewed),
	})
}

// ParseLease reads the text of a row of a worker ID.
func ParseLease(id int64, s string) (Lease, error) {
	v, err := parse[leaseText](s, leaseVersion)
	if err != nil {
		return Lease{}, err
	}
	return Lease{
		WorkerID: id, Nonce: v.Nonce, High: v.High, Until: clock(v.Until), Layout: v.Layout, Holder: v.Holder,
		Acquired: clock(v.Acquired), Renewed: clock(v.Renewed),
	}, nil
}

// NamespaceText returns the text of a namespace, as [LeaseText] does.
func NamespaceText(n Namespace, write string) (string, error) {
	var f fields
	return f.json(namespaceText{
		head{namespaceVersion, write}, f.text("layout", n.Layout),
		n.IDs.First, n.IDs.Last, n.Given, n.Floor, f.text("history", n.History),
		f.micros("made", n.Made), f.micros("renewed", n.Renewed),
	})
}

// ParseNamespace reads the text of a namespace.
func ParseNamespace(s string) (Namespace, error) {
	v, err := parse[namespaceText](s, namespaceVersion)
	if err != nil {
		return Namespace{}, err
	}
	return Namespace{
		Layout: v.Layout, IDs: Range{First: v.First, Last: v.Last},
		Given: v.Given, Floor: v.Floor, History: v.History,
		Made: clock(v.Made), Renewed: clock(v.Renewed),
	}, nil
}

// parse accepts what fields.json returns, and nothing else.
func parse[V value](s string, version int) (v V, err error) {
	if err := Strict(s, version, &v); err != nil {
		return v, err
	}
	if fault := v.fault(); fault != "" {
		return v, fmt.Errorf("no worker writes it: %s", fault)
	}
	return v, nil
}

// fields converts the fields of a value, and keeps the first error.
type fields struct{ err error }

func (f *fields) text(name, s string) string {
	if !utf8.ValidString(s) {
		f.err = cmp.Or(f.err, fmt.Errorf("%w: %s is not valid UTF-8", uid.ErrConfig, name))
	}
	return s
}

// micros returns 0 for the zero time.
func (f *fields) micros(name string, at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	if at.Before(clock(0)) || !at.Before(latest) {
		f.err = cmp.Or(f.err,
			fmt.Errorf("%w: %s is %v, which is not within the years 1970 to 9999", uid.ErrRange, name, at))
	}
	return at.UnixMicro()
}

// json writes the value.
func (f *fields) json(v value) (string, error) {
	if f.err != nil {
		return "", f.err
	}
	if fault := v.fault(); fault != "" {
		return "", fmt.Errorf("%w: %s", uid.ErrRange, fault)
	}
	b, err := json.Marshal(v)
	return string(b), err
}

func clock(micros int64) time.Time { return time.UnixMicro(micros).UTC() }
