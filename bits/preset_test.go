package bits

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/presets"
)

// IDs that others made, and what the source says is in them.
func TestPresetsReadWhatOthersMade(t *testing.T) {
	for _, c := range []struct {
		source, preset string
		id             uid.UID
		form, time     string
		want           string
	}{
		{"en.wikipedia.org/wiki/Snowflake_ID, a tweet", "twitter", 1541815603606036480, "2006-01-02T15:04:05.000",
			"2022-06-28T16:07:40.105", "worker 378, sequence 0"},
		{"README of npm's discord-snowflake", "discord", 90339695967350784, "2006-01-02T15:04:05.000",
			"2015-09-07T06:57:41.949", "(worker 0, process 3), sequence 0"},
		{"docs.rs/twilight-util, Snowflake", "discord", 105484726235607040, "2006-01-02T15:04:05.000",
			"2015-10-19T01:58:38.546", ""},
		{"discord.js, util/Snowflake.js", "discord", 266241948824764416, "", "", "(worker 1, process 0), sequence 0"},
		{"Stack Overflow, Instagram media ID to timestamp conversion", "instagram", 2384288897814875714,
			"2006-01-02T15:04:05", "2020-08-26T13:43:27", ""},
		{"the same", "instagram", 2383568809444681765, "2006-01-02T15:04:05", "2020-08-25T13:52:46", ""},
	} {
		l, err := preset(c.preset)
		require.NoError(t, err, c.source)
		p, err := l.Parse(c.id)
		require.NoError(t, err, c.source)
		require.Equal(t, c.time, p.Time.Format(c.form), c.source)
		require.Contains(t, p.String(), c.want, c.source)
	}

	// README of yitter/IdGenerator: IDs of a generator that has run for so many years. The
	// sequence of a millisecond begins at 5.
	for id, years := range map[uid.UID]int{129053495681099: 1, 387750301904971: 3, 646093214093387: 5,
		1292658282840139: 10} {
		p := must(yitter.Parse(id))
		require.InDelta(t, 0, p.Time.Sub(yitter.Epoch().AddDate(years, 0, 0)).Hours(), 48)
		require.GreaterOrEqual(t, p.Sequence, int64(5))
	}
	// Its TypeScript/README.md shows IDs of worker 1 in a row. There the base time is 2020-01-01.
	typescript := must(ParseLayout("41ms/6/6 epoch=2020-01-01T00:00:00Z"))
	for id, sequence := range map[uid.UID]int64{234712552579141: 5, 234712552587333: 5, 234712552587334: 6,
		234712552587336: 8, 234712552591429: 5} {
		p := must(typescript.Parse(id))
		require.Equal(t, [2]int64{1, sequence}, [2]int64{p.WorkerID, p.Sequence})
		require.Equal(t, "2021-10-25", p.Time.Format(time.DateOnly))
	}
}

// What Leaf's decodeSnowflakeId says of an ID (LeafMonitorController.java: timestamp
// 1567733700834, workerId 39, sequenceId 3448) is what Leaf's layout says.
func TestLeafIsTwitter(t *testing.T) {
	l := must(preset("leaf"))
	require.Equal(t, twitter, l)
	const id = (1567733700834-1288834974657)<<22 | 39<<12 | 3448 // as SnowflakeIDGenImpl.java puts it together
	p := must(l.Parse(id))
	require.Equal(t, uid.Parts{UID: id, Time: time.UnixMilli(1567733700834).UTC(), WorkerID: 39, Sequence: 3448}, p)

	require.Equal(t, twitter, must(preset("bwmarrin")))
}

// The presets that are no choice for new UIDs.
func TestForeignPresets(t *testing.T) {
	var foreign []string
	require.Len(t, presets.Layouts(), len(named))
	for _, p := range presets.Layouts() {
		require.Contains(t, named, p.Name)
		if p.Foreign {
			foreign = append(foreign, p.Name)
		}
	}
	require.Equal(t, []string{"uidgenerator", "discord", "instagram", "yitter"}, foreign)
}
