package bits

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/presets"
)

// A preset never changes. Those of others are no choice for new UIDs.
func TestPresets(t *testing.T) {
	const (
		js      = "33/4/15 unit=1s epoch=2026-01-01T00:00:00Z"
		twitter = "41/10/12 unit=1ms epoch=2010-11-04T01:42:54.657Z"
	)
	all := presets.Layouts()
	for i, c := range []struct {
		name, text, expires string
		foreign             bool
	}{
		{"default", "28/22/13 unit=1s epoch=2026-01-01T00:00:00Z", "2034-07-04T21:24:15Z", false},
		{"uidgenerator", "28/22/13 unit=1s epoch=2016-05-19T16:00:00Z", "2024-11-20T13:24:15Z", true},
		{"uidgenerator-readme", "29/21/13 unit=1s epoch=2016-09-19T16:00:00Z", "2033-09-24T10:48:31Z", true},
		{"twitter", twitter, "2080-07-10T17:30:30.208Z", false},
		{"javascript", js, "2298-03-16T12:56:31Z", false},
		{"redis", "41/12/10 unit=1ms epoch=2026-01-01T00:00:00Z", "2095-09-07T15:47:35.551Z", false},
		{"discord", "41/10/12 unit=1ms epoch=2015-01-01T00:00:00Z fields=worker:5,process:5",
			"2084-09-06T15:47:35.551Z", true},
		{"instagram", "40/13/10 unit=1ms epoch=2011-08-24T21:07:01.721Z", "2046-06-27T17:00:49.496Z", true},
		{"yitter", "41/6/6 unit=1ms epoch=2020-02-19T18:20:02Z", "2089-10-26T10:07:37.551Z", true},
		{"js", js, "2298-03-16T12:56:31Z", false},
		{"bwmarrin", twitter, "2080-07-10T17:30:30.208Z", false},
		{"leaf", twitter, "2080-07-10T17:30:30.208Z", false},
	} {
		l := must(ParseLayout(c.name))
		require.Equal(t, []string{c.text, c.expires}, []string{l.String(), stamp(l.Expires())})
		if i < len(all) {
			require.Equal(t, presets.Layout{Name: c.name, Foreign: c.foreign}, all[i])
		}
	}
	require.Len(t, named, len(all))
	for _, name := range []string{"", "Default", "no such"} {
		l, err := preset(name)
		refused(t, err, uid.ErrSyntax, "default, uidgenerator, uidgenerator-readme, twitter, javascript, redis")
		require.True(t, l.IsZero())
	}
}

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
		{"Mastodon's documentation of the API, a status", "47ms/0/16 epoch=1970-01-01T00:00:00Z", 103254962155278888,
			"2006-01-02T15:04:05.0", "2019-12-05T11:34:47.1", ""},
		{"shkspr.mobi/blog/2023/06/linkedin-supports-schema-org-metadata, published 09:35:34.752",
			"41ms/0/22 epoch=1970-01-01T00:00:00Z", 7075043149462556672, "2006-01-02T15:04:05",
			"2023-06-15T09:35:34", ""},
		{"apache/shardingsphere issue 5058, logged at 14:14:12.246 in Shanghai",
			"41ms/10/12 epoch=2016-10-31T16:00:00Z", 452837411152461833, "2006-01-02T15:04:05.000",
			"2020-04-03T06:14:12.131", "worker 0, sequence 9"},
		{"mo4tech.com/mybatisplus-crud-extension-1.html, of November 2021", "twitter", 1456795944390905857, "2006-01",
			"2021-11", ""},
		{"README of UidGenerator, in its zone", "uidgenerator-readme", 180363646902239241, "2006-01-02 15:04:05",
			"2017-01-19 04:15:46", "worker 4, sequence 9"},
		// As uid.go puts them together; as SnowflakeIDGenImpl.java does what LeafMonitorController.java shows.
		{"goSnowFlake", "41ms/10/12 epoch=2016-09-25T11:28:08Z", (1795219200000-1474802888000)<<22 | 2<<12 | 5,
			"2006-01-02T15:04:05.000", "2026-11-21T00:00:00.000", "worker 2, sequence 5"},
		{"Leaf", "leaf", (1567733700834-1288834974657)<<22 | 39<<12 | 3448,
			"2006-01-02T15:04:05.000", "2019-09-06T01:35:00.834", "worker 39, sequence 3448"},
	} {
		p := must(MustParseLayout(c.preset).Parse(c.id))
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
