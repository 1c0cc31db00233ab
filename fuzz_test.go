package uid_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/uidgen/uid"
)

func seed(f *testing.F, wrap func(string) any) {
	decimal := []string{"0", "1", "180363646902239241", "9223372036854775807", "null", `"1"`}
	for _, s := range slices.Concat(decimal, notDecimal, tooLarge) {
		f.Add(wrap(s))
	}
}

func asBytes(s string) any { return []byte(s) }

// same checks one parser's answer against the reference's.
func same(t *testing.T, want uid.UID, wantErr error, got uid.UID, err error) {
	t.Helper()
	if wantErr != nil {
		require.ErrorIs(t, err, wantErr)
		require.Less(t, len(err.Error()), 400)
		return
	}
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func FuzzParse(f *testing.F) {
	seed(f, func(s string) any { return s })
	f.Fuzz(func(t *testing.T, s string) {
		want, wantErr := reference(s)
		got, err := uid.Parse(s)
		same(t, want, wantErr, got, err)
		if err == nil {
			require.Equal(t, s, got.String(), "one text for one UID")
		}
	})
}

func FuzzUnmarshalText(f *testing.F) {
	seed(f, asBytes)
	f.Fuzz(func(t *testing.T, text []byte) {
		want, wantErr := reference(string(text))
		got := uid.UID(42)
		err := got.UnmarshalText(text)
		same(t, want, wantErr, got, err)
		if err != nil {
			require.EqualValues(t, 42, got)
		}
	})
}

func FuzzUnmarshalJSON(f *testing.F) {
	seed(f, asBytes)
	f.Fuzz(func(t *testing.T, data []byte) {
		got := uid.UID(42)
		err := got.UnmarshalJSON(data)
		if err != nil {
			require.True(t, errors.Is(err, uid.ErrSyntax) || errors.Is(err, uid.ErrRange))
			require.EqualValues(t, 42, got)
		}
		// Whatever encoding/json takes for a number or a string, ours takes too if
		// it is a UID, and to the same value.
		var text string
		switch trimmed := strings.TrimSpace(string(data)); {
		case trimmed != string(data) || !json.Valid(data) || trimmed == "null":
			return
		case json.Unmarshal(data, &text) != nil:
			text = trimmed
		case strings.Contains(trimmed, `\`):
			require.ErrorIs(t, err, uid.ErrSyntax)
			return
		}
		want, wantErr := reference(text)
		same(t, want, wantErr, got, err)
	})
}

func FuzzScan(f *testing.F) {
	seed(f, func(s string) any { return s })
	f.Fuzz(func(t *testing.T, s string) {
		want, wantErr := reference(s)
		for _, src := range []any{s, []byte(s)} {
			got := uid.UID(42)
			err := got.Scan(src)
			same(t, want, wantErr, got, err)
			if err != nil {
				require.EqualValues(t, 42, got)
			}
		}
	})
}

func FuzzScanInteger(f *testing.F) {
	f.Add(uint64(0))
	f.Add(uint64(1) << 63)
	f.Add(^uint64(0))
	f.Fuzz(func(t *testing.T, n uint64) {
		got := uid.UID(42)
		err := got.Scan(int64(n))
		require.Equal(t, int64(n) >= 0, err == nil)
		err2 := got.Scan(n)
		require.Equal(t, err == nil, err2 == nil)
		if err != nil {
			require.ErrorIs(t, err, uid.ErrRange)
			require.ErrorIs(t, err2, uid.ErrRange)
			require.EqualValues(t, 42, got)
		} else {
			require.EqualValues(t, n, got)
		}
	})
}
