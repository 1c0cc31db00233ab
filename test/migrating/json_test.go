package migrating

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/foreign"
	"github.com/uidgen/uid/form"
)

// What stands in JSON, and what readers of it get. strconv.ParseInt takes the texts that Java's
// Long.parseLong does.
func TestJSON(t *testing.T) {
	const id uid.UID = 962672698415128577
	text, err := json.Marshal(map[string]any{"id": id, "max": uid.Max})
	require.NoError(t, err)
	require.Equal(t, `{"id":"962672698415128577","max":"9223372036854775807"}`, string(text))
	for _, u := range []uid.UID{0, id, uid.Max} {
		n, err := strconv.ParseInt(u.String(), 10, 64)
		require.NoError(t, err)
		require.EqualValues(t, u, n)
	}

	// A number becomes a double in a browser, and another UID.
	var number float64
	require.NoError(t, json.Unmarshal([]byte("962672698415128577"), &number))
	require.Equal(t, "962672698415128576", strconv.FormatFloat(number, 'f', 0, 64))
	require.Equal(t, float64(1<<53), math.Nextafter(1<<53, 0)+1, "up to 2^53 each has its own")
	small, err := json.Marshal(uid.Number(1<<53 - 1))
	require.NoError(t, err)
	require.Equal(t, "9007199254740991", string(small))
	_, err = json.Marshal(uid.Number(id))
	require.ErrorIs(t, err, uid.ErrRange)

	// What Java sends: numbers by default, strings where a serializer says so, negative ones since
	// 2024-11-20.
	var u uid.UID
	for _, text := range []string{"962672698415128577", `"962672698415128577"`} {
		require.NoError(t, json.Unmarshal([]byte(text), &u))
		require.Equal(t, id, u)
	}
	require.Error(t, json.Unmarshal([]byte("-7050086149485699067"), &u))
	for _, text := range []string{`"+5"`, `"005"`, `""`, `5.0`, `5e3`} { // as Long.parseLong or Jackson would take
		require.ErrorIs(t, json.Unmarshal([]byte(text), &u), uid.ErrSyntax, text)
	}
	require.Equal(t, id, u, "a failure leaves it as it was")
	var old foreign.UidGeneratorUID
	for _, text := range []string{"-7050086149485699067", `"-7050086149485699067"`} {
		require.NoError(t, json.Unmarshal([]byte(text), &old))
		require.Equal(t, foreign.UidGeneratorUID(-7050086149485699067), old)
	}
	text, err = json.Marshal(old)
	require.NoError(t, err)
	require.Equal(t, `"-7050086149485699067"`, string(text))

	// Ids with a prefix, and numbers that a browser holds, are read in their own form alone.
	var o form.ID[order]
	require.NoError(t, json.Unmarshal([]byte(`"order_05067s0001009"`), &o))
	for _, text := range []string{"962672698415128577", `"962672698415128577"`, `"user_05067s0001009"`} {
		require.ErrorIs(t, json.Unmarshal([]byte(text), &o), uid.ErrSyntax, text)
	}
	text, err = json.Marshal(o)
	require.NoError(t, err)
	require.Equal(t, `"order_05067s0001009"`, string(text))
	var n uid.Number
	require.NoError(t, json.Unmarshal(small, &n))
	require.Error(t, json.Unmarshal([]byte(`"42"`), &n))
	require.Error(t, json.Unmarshal([]byte("962672698415128577"), &n))
}

type order struct{}

func (order) Prefix() string { return "order" }
