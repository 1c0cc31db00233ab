package subject

import (
	"sync/atomic"

	"github.com/edwingeng/slog"
	"github.com/edwingeng/wuid/callback/wuid"
)

var (
	// A wuid is a counter of 36 bits below a number that a database counts up at each start, and again when the counter
	// is full: the call is the same whichever database that is, or none, as here.
	wuidNext = Subject{
		Name: "wuid", Label: "edwingeng/wuid", Kind: Peer, Bits: 63, Module: "github.com/edwingeng/wuid",
		Open: func() (Source, error) {
			w := wuid.NewWUID("bench", slog.NewDumbLogger())
			return wuids{w}, w.LoadH28WithCallback(func() (int64, func(), error) { return starts.Add(1), nil, nil })
		},
	}
	starts atomic.Int64 // of wuids
)

type wuids struct{ *wuid.WUID }

func (s wuids) Draw(n int) error { return each(n, func() error { s.Next(); return nil }) }
func (s wuids) Keys(dst []Key) error {
	return keep(dst, func() (Key, error) { return word(s.Next(), nil) })
}
