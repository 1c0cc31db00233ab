package storage

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uidgen/uid"
)

// segmentVersion is that of both forms. A program that finds another one refuses the text.
const segmentVersion = 2

type takers struct {
	Version int      `json:"v"`
	Writes  int64    `json:"writes"`
	Floor   int64    `json:"floor"`
	Takers  []string `json:"takers"` // of each its nonce, a space, and its last number
}

type segmentText struct {
	Version int `json:"v"`
	// Write tells writes apart, in stores that have no versions of their own. No two writes have
	// the same.
	Write       string   `json:"write,omitempty"`
	Next        int64    `json:"next"`
	Step        int64    `json:"step"`
	Description string   `json:"description"`
	Updated     int64    `json:"updated"` // in µs since 1970; 0 when the store knows better, or nobody does
	Writes      int64    `json:"writes"`
	Floor       int64    `json:"floor"`
	Takers      []string `json:"takers"`
}

// MarshalTakers returns the text of a row's Writes, Floor and Takers:
//
//	{"v":2,"writes":1,"floor":100,"takers":["ABC 99"]}
//
// Where there is none of these it is "". The error wraps [uid.ErrRange] when no row can have them.
func MarshalTakers(r Segment) (string, error) {
	if err := r.CheckTakers(); err != nil || r.Writes == 0 && r.Floor == 0 && len(r.Takers) == 0 {
		return "", err
	}
	return text(takers{segmentVersion, r.Writes, r.Floor, list(r.Takers)})
}

// UnmarshalTakers reads into a row what MarshalTakers has written of one. The error wraps
// [uid.ErrRange].
func UnmarshalTakers(s string, r *Segment) (err error) {
	if s == "" {
		return nil
	}
	var v takers
	if err := Strict(s, segmentVersion, &v); err != nil {
		return refuse(err)
	}
	if r.Takers, err = unlist(v.Takers); err != nil {
		return err
	}
	if r.Writes, r.Floor = v.Writes, v.Floor; r.Writes == 0 && r.Floor == 0 && len(r.Takers) == 0 {
		return refuse(errors.New(`it has nothing, which is written as ""`))
	}
	return r.CheckTakers()
}

// MarshalSegment returns the text of a row, without its tag. A store that has a time of its own for
// each write leaves Updated zero. write may be empty. The error wraps [uid.ErrRange] or
// [uid.ErrConfig] when the row has what no store can keep, and when it is Fresh.
func MarshalSegment(r Segment, write string) (string, error) {
	if r.Fresh {
		return "", fmt.Errorf("%w: tag %q has no row", uid.ErrRange, r.Tag)
	}
	if err := r.Check(); err != nil {
		return "", err
	}
	if !utf8.ValidString(r.Description) {
		return "", fmt.Errorf("%w: the description of tag %q is not valid UTF-8", uid.ErrConfig, r.Tag)
	}
	v := segmentText{Version: segmentVersion, Write: write, Next: r.Next, Step: r.Step, Description: r.Description,
		Writes: r.Writes, Floor: r.Floor, Takers: list(r.Takers)}
	if !r.Updated.IsZero() {
		v.Updated = r.Updated.UnixMicro()
		if !datable(v.Updated) {
			return "", fmt.Errorf("%w: tag %q was updated at %v, which is not within the years 1970 to 9999",
				uid.ErrRange, r.Tag, r.Updated)
		}
	}
	return text(v)
}

// UnmarshalSegment reads the text of the row of a tag. Takers is nil when there are none. The error
// wraps [uid.ErrRange].
func UnmarshalSegment(tag, s string) (r Segment, err error) {
	var v segmentText
	if err := Strict(s, segmentVersion, &v); err != nil {
		return Segment{}, refuse(err)
	}
	r = Segment{
		Tag: tag, Next: v.Next, Step: v.Step, Description: v.Description, Writes: v.Writes, Floor: v.Floor,
	}
	if r.Takers, err = unlist(v.Takers); err != nil {
		return Segment{}, err
	}
	if v.Updated != 0 {
		if !datable(v.Updated) {
			err = fmt.Errorf("updated is %d µs, which is not within the years 1970 to 9999", v.Updated)
			return Segment{}, refuse(err)
		}
		r.Updated = time.UnixMicro(v.Updated).UTC()
	}
	if err := r.Check(); err != nil {
		return Segment{}, err
	}
	return r, nil
}

func refuse(err error) error {
	return fmt.Errorf("%w: it is no text that this version writes: %w", uid.ErrRange, err)
}

func datable(micros int64) bool { return 0 < micros && micros < latest.UnixMicro() }

func list(these []Taker) []string {
	l := make([]string, len(these))
	for i, t := range these {
		l[i] = t.Nonce + " " + strconv.FormatInt(t.Last, 10)
	}
	return l
}

// unlist reads a list byte by byte as list writes it.
func unlist(l []string) (these []Taker, err error) {
	if l == nil {
		return nil, refuse(errors.New("takers is null"))
	}
	for i, t := range l {
		nonce, number, _ := strings.Cut(t, " ")
		last, err := strconv.ParseInt(number, 10, 64)
		if err != nil || strconv.FormatInt(last, 10) != number {
			return nil, refuse(fmt.Errorf("taker %d of %d is not a nonce, a space and a number", i+1, len(l)))
		}
		these = append(these, Taker{Nonce: nonce, Last: last})
	}
	return these, nil
}

func text(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// A Codec is the form of the texts of tags. A driver has one of its own if it keeps the next number apart from
// the rest, so that others can draw from it.
type Codec interface {
	// Parse returns the row of a tag that has a text. The error wraps [uid.ErrRange] for what is none.
	Parse(tag, text string) (Segment, error)
	// Text returns the text of a row. No two are alike.
	Text(Segment) (string, error)
}

// JSON is the [Codec] of most drivers.
type JSON struct{}

// Parse implements [Codec].
func (JSON) Parse(tag, text string) (Segment, error) { return UnmarshalSegment(tag, text) }

// Text implements [Codec].
func (JSON) Text(r Segment) (string, error) { return MarshalSegment(r, rand.Text()) }
