package foreign_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/foreign"
)

// FuzzParseFormat reads formats from any text, and any number by them.
func FuzzParseFormat(f *testing.F) {
	for _, text := range []string{"sonyflake", "sonyflake2 epoch=2026-01-01T00:00:00Z", "sonyflake2 40/7/16 unit=1ms",
		"uidgenerator 29/21/13",
		"uidgenerator 62/0/1", "sonyflake 61/1/1 unit=24h0m0s epoch=1970-01-01T00:00:00.000000001Z",
		"sonyflake2 unit=500us"} {
		f.Add(text, int64(-7053003394352373760))
	}
	f.Fuzz(func(t *testing.T, text string, id int64) {
		format, err := foreign.ParseFormat(text)
		if err != nil {
			require.Nil(t, format)
			require.Less(t, len(err.Error()), 4*4*255)
			return
		}
		require.Equal(t, format.String(), must(foreign.ParseFormat(format.String())).String())
		p, err := format.Parse(id)
		if err != nil {
			require.Negative(t, id)
			require.Zero(t, p)
			return
		}
		require.Equal(t, id, p.ID)
		require.False(t, p.Time.Before(format.Layout().Epoch()))
		for _, field := range format.Fields() {
			switch field.Name {
			case "sequence":
				require.Zero(t, uint64(p.Sequence)>>field.Bits)
			case "machine", "worker":
				require.Zero(t, uint64(p.Machine)>>field.Bits)
			}
		}
	})
}
