// Package segmentjson writes the rows of segments, and their takers, as JSON for stores that keep
// texts. All such stores use it, so that people and tools read one form.
//
// What is read must be exactly what would be written of it, as in package leasejson: a text with
// anything missing, unknown, or written by a newer version is refused, and so is what
// [segment.Row.Check] refuses. Nothing is replaced by a default. No error repeats anything of a
// text but numbers.
package segmentjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/leasejson"
	"github.com/uidgen/uid/segment"
)

// version is that of both forms. A program that finds a higher one is too old to judge it.
const version = 1

// MaxTakersLen is the length in bytes of the longest text that [MarshalTakers] returns.
const MaxTakersLen = len(`{"v":1,"takers":[]}`) + segment.MaxTakers*(len(`{"nonce":"","last":},`)+32+len("9223372036854775807")) - len(",")

type taker struct {
	Nonce string `json:"nonce"`
	Last  int64  `json:"last"`
}

type takers struct {
	Version int     `json:"v"`
	Takers  []taker `json:"takers"`
}

type row struct {
	Version int `json:"v"`
	// Write tells writes apart, in stores that have no versions of their own. No two writes have
	// the same.
	Write       string  `json:"write,omitempty"`
	Next        int64   `json:"next"`
	Step        int64   `json:"step"`
	Description string  `json:"description"`
	Updated     int64   `json:"updated"` // in µs since 1970; 0 when the store knows better, or nobody does
	Takers      []taker `json:"takers"`
}

// MarshalTakers returns the text of takers:
//
//	{"v":1,"takers":[{"nonce":"ABC","last":99}]}
//
// No takers, nil or not, are "". The error wraps [uid.ErrRange] when no row can have them.
func MarshalTakers(these []segment.Taker) (string, error) {
	if err := check(these); err != nil || len(these) == 0 {
		return "", err
	}
	return text(takers{version, list(these)})
}

// UnmarshalTakers reads the text of takers. "" is the only text of none, and returns nil: a list
// that is empty, [] and null are refused. The error wraps [uid.ErrRange].
func UnmarshalTakers(s string) ([]segment.Taker, error) {
	if s == "" {
		return nil, nil
	}
	var v takers
	if err := leasejson.Strict(s, version, &v); err != nil {
		return nil, refuse(err)
	}
	if len(v.Takers) == 0 {
		return nil, refuse(errors.New(`a list without takers, which is written as ""`))
	}
	these := unlist(v.Takers)
	if err := check(these); err != nil {
		return nil, err
	}
	return these, nil
}

// check says what is wrong with takers alone.
func check(these []segment.Taker) error {
	return (&segment.Row{Step: 1, Takers: these}).Check()
}

// MarshalRow returns the text of a row, without its tag. A store that has a time of its own for
// each write leaves Updated zero. write may be empty. The error wraps [uid.ErrRange] or
// [uid.ErrConfig] when the row has what no store can keep, and when it is Fresh.
func MarshalRow(r segment.Row, write string) (string, error) {
	if r.Fresh {
		return "", fmt.Errorf("%w: tag %q has no row", uid.ErrRange, r.Tag)
	}
	if err := r.Check(); err != nil {
		return "", err
	}
	if !utf8.ValidString(r.Description) {
		return "", fmt.Errorf("%w: the description of tag %q is not valid UTF-8", uid.ErrConfig, r.Tag)
	}
	v := row{Version: version, Write: write, Next: r.Next, Step: r.Step, Description: r.Description, Takers: list(r.Takers)}
	if !r.Updated.IsZero() {
		v.Updated = r.Updated.UnixMicro()
		if !datable(v.Updated) {
			return "", fmt.Errorf("%w: tag %q was updated at %v, which is not within the years 1970 to 9999", uid.ErrRange, r.Tag, r.Updated)
		}
	}
	return text(v)
}

// UnmarshalRow reads the text of the row of a tag. Takers is nil when there are none. The error
// wraps [uid.ErrRange].
func UnmarshalRow(tag, s string) (segment.Row, error) {
	var v row
	if err := leasejson.Strict(s, version, &v); err != nil {
		return segment.Row{}, refuse(err)
	}
	if v.Takers == nil {
		return segment.Row{}, refuse(errors.New("takers is null"))
	}
	r := segment.Row{Tag: tag, Next: v.Next, Step: v.Step, Description: v.Description, Takers: unlist(v.Takers)}
	if v.Updated != 0 {
		if !datable(v.Updated) {
			return segment.Row{}, refuse(fmt.Errorf("updated is %d µs, which is not within the years 1970 to 9999", v.Updated))
		}
		r.Updated = time.UnixMicro(v.Updated).UTC()
	}
	if err := r.Check(); err != nil {
		return segment.Row{}, err
	}
	return r, nil
}

func refuse(err error) error {
	return fmt.Errorf("%w: it is no text that this version writes: %w", uid.ErrRange, err)
}

// end is that of the year 9999.
var end = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

func datable(micros int64) bool { return 0 < micros && micros < end }

func list(these []segment.Taker) []taker {
	l := make([]taker, len(these))
	for i, t := range these {
		l[i] = taker(t)
	}
	return l
}

func unlist(l []taker) (these []segment.Taker) {
	for _, t := range l {
		these = append(these, segment.Taker(t))
	}
	return these
}

func text(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}
