package migrating

import (
	"encoding/json"
	"testing"

	"github.com/bwmarrin/snowflake"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/form"
)

// What bwmarrin's settings and forms become.
func TestBwmarrinBySettings(t *testing.T) {
	// Epoch, NodeBits and StepBits make a layout; the time has what they leave of 63 bits.
	before := snowflake.Epoch
	snowflake.Epoch = 1700000000000
	snowflake.NodeBits, snowflake.StepBits = 8, 13
	defer func() { snowflake.Epoch, snowflake.NodeBits, snowflake.StepBits = before, 10, 12 }()
	l := bits.MustParseLayout("42ms/8/13 epoch=2023-11-14T22:13:20Z")
	id := must(snowflake.NewNode(200)).Generate()
	u := uid.UID(id)
	parts := must(l.Parse(u))
	got := []int64{parts.Time.UnixMilli(), parts.WorkerID, parts.Sequence}
	require.Equal(t, []int64{id.Time(), id.Node(), id.Step()}, got)

	// JSON: each reads what the other writes; only a uid.UID takes a number, as of Sonyflake, too.
	text := must(json.Marshal(u))
	require.Equal(t, string(must(json.Marshal(id))), string(text))
	var theirs snowflake.ID
	require.NoError(t, json.Unmarshal(text, &theirs))
	require.Equal(t, id, theirs)
	require.Error(t, json.Unmarshal([]byte(id.String()), &theirs))
	var ours uid.UID
	require.NoError(t, json.Unmarshal([]byte(id.String()), &ours))
	require.Equal(t, u, ours)

	// Texts: base58 is Flickr's; its base32 is another one than ours.
	require.Equal(t, id.Base58(), form.Base58Flickr.Text(u))
	require.NotEqual(t, id.Base32(), form.Base32.Text(u))
}
