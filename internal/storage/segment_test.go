package storage

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

func TestRowCheck(t *testing.T) {
	good := func() Segment {
		return Segment{Tag: "a", Next: 0, Step: MaxStep, Description: strings.Repeat("ä", maxDescription),
			Takers: []Taker{{"aZ9", -1}}}
	}
	row := good()
	require.NoError(t, row.Check())
	require.NoError(t, (&Segment{Tag: "a", Fresh: true}).Check())
	for text, change := range map[string]func(*Segment){
		"is -1, below 0":              func(r *Segment) { r.Next = -1 },
		"is 0, want 1 to 2147483647":  func(r *Segment) { r.Step = 0 },
		"2147483648":                  func(r *Segment) { r.Step = MaxStep + 1 },
		"257 characters, want 256":    func(r *Segment) { r.Description += "a" },
		"257 takers, want 256":        func(r *Segment) { r.Takers = make([]Taker, 257) },
		"has -1 writes":               func(r *Segment) { r.Writes = -1 },
		"the floor -2, want 0":        func(r *Segment) { r.Floor = -2 },
		"a nonce of 0 bytes":          func(r *Segment) { r.Takers[0].Nonce = "" },
		"a nonce of 33 bytes":         func(r *Segment) { r.Takers[0].Nonce = strings.Repeat("a", 33) },
		"a nonce of 3 bytes":          func(r *Segment) { r.Takers[0].Nonce = "a-b" },
		"has taken up to -2, want -1": func(r *Segment) { r.Takers[0].Last = -2 },
	} {
		row := good()
		change(&row)
		err := row.Check()
		require.ErrorIs(t, err, uid.ErrRange)
		require.ErrorContains(t, err, text)
		require.ErrorContains(t, err, `"a"`)
	}
}
