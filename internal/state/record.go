package state

import (
	"reflect"
	"slices"
	"time"
)

// A Record is what a worker keeps across restarts. Package state does not interpret it.
type Record struct {
	Kind     string `json:"kind"` // whose record it is: KindFixed, KindLease
	Host     string `json:"host"` // where the file was written
	WorkerID int64  `json:"workerId"`
	Layout   string `json:"layout"` // of the UIDs that were issued under the ID
	High     int64  `json:"high"`   // the last tick that may have been issued, or -1
	// Next is how large High may be in the record that is saved after this one; it is at least High. A
	// start that finds that one damaged goes on above Next.
	Next int64 `json:"next"`

	// The rest is for leases.
	Namespace string     `json:"namespace,omitempty"`
	Nonce     string     `json:"nonce,omitempty"`     // of the newest renewal that was confirmed
	Limit     int64      `json:"limit,omitempty"`     // the last tick that it reserved
	Proposals []Proposal `json:"proposals,omitempty"` // renewals since, any of which may have replaced Nonce and Limit
	// Reach is how far beyond the clock the namespace knows the owner to reserve, in nanoseconds, or
	// 0 where that was of no use, since the store was taken to be durable.
	Reach time.Duration `json:"reach,omitempty"`
}

// A Proposal is a renewal that was sent to the store and not confirmed. It is saved before it is
// sent.
type Proposal struct {
	Nonce string `json:"nonce"`
	High  int64  `json:"high"` // the last tick it reserves
}

// The kinds of records.
const (
	KindFixed = "fixed" // an ID that comes from a source
	KindLease = "lease" // an ID that is leased from a store
)

// clone returns a copy that shares nothing with r.
func (r Record) clone() Record {
	r.Proposals = slices.Clone(r.Proposals)
	return r
}

// version is that of the records that are written. Those of version 0 do not say what Next is.
const version = 1

// A slot is the content of a page.
type slot struct {
	Version  int   `json:"version"`
	Sequence int64 `json:"sequence"` // counts the saves, from 1; odd ones are in the first slot
	PID      int   `json:"pid"`      // of the process that wrote it
	Record

	// Older records have one proposal, in these two fields. They are read into Proposals, and
	// never written.
	ProposedNonce string `json:"proposedNonce,omitempty"`
	ProposedLimit int64  `json:"proposedLimit,omitempty"`
}

// normalize converts a slot that was read to the form in which it is written, but for its version.
func (s *slot) normalize() {
	if s.Version == 0 {
		s.Next = s.High
	}
	if s.ProposedNonce != "" {
		s.Proposals = append(s.Proposals, Proposal{s.ProposedNonce, s.ProposedLimit})
	}
	s.ProposedNonce, s.ProposedLimit = "", 0
	if len(s.Proposals) == 0 {
		s.Proposals = nil
	}
}

func (s slot) equal(t slot) bool { return reflect.DeepEqual(s, t) }
