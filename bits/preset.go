package bits

import (
	"fmt"
	"strings"
	"time"

	"github.com/uidgen/uid"
)

// The presets are built once, without the clock that NewLayout reads.
var (
	defaultLayout  = mustBuild(Config{TimeBits: 28, WorkerBits: 22, SequenceBits: 13})
	uidGenerator   = mustBuild(Config{TimeBits: 28, WorkerBits: 22, SequenceBits: 13, Epoch: time.Unix(1463673600, 0)})
	twitter        = mustBuild(Config{TimeBits: 41, WorkerBits: 10, SequenceBits: 12, Unit: time.Millisecond, Epoch: time.UnixMilli(1288834974657)})
	javaScriptSafe = mustBuild(Config{TimeBits: 33, WorkerBits: 4, SequenceBits: 15})
	redis          = mustBuild(Config{TimeBits: 41, WorkerBits: 12, SequenceBits: 10, Unit: time.Millisecond})
	discord        = mustBuild(Config{TimeBits: 41, WorkerBits: 10, SequenceBits: 12, Unit: time.Millisecond, Epoch: time.UnixMilli(1420070400000),
		Fields: []uid.Field{{Name: "worker", Bits: 5}, {Name: "process", Bits: 5}}})
	instagram = mustBuild(Config{TimeBits: 40, WorkerBits: 13, SequenceBits: 10, Unit: time.Millisecond, Epoch: time.UnixMilli(1314220021721)})
	yitter    = mustBuild(Config{TimeBits: 41, WorkerBits: 6, SequenceBits: 6, Unit: time.Millisecond, Epoch: time.UnixMilli(1582136402000)})
)

// Default returns the layout that generators use unless told otherwise: 28 bits of
// seconds since 2026-01-01T00:00:00Z, 22 bits of worker ID, 13 bits of sequence.
// It is full on 2034-07-04 21:24:15 UTC, has 4,194,304 worker IDs, and sustains
// 8,192 UIDs a second for each.
func Default() Layout { return defaultLayout }

// UidGenerator returns the layout of Baidu's UidGenerator with its original epoch: as
// Default, but from 2016-05-20 on (1463673600 seconds after 1970). It has been full since
// 2024-11-20 13:24:15 UTC, and is good for reading such UIDs only; package foreign reads
// the negative ones that its generator made since.
func UidGenerator() Layout { return uidGenerator }

// Twitter returns the layout of Twitter's Snowflake: 41 bits of milliseconds since
// 2010-11-04T01:42:54.657Z, 10 bits of worker ID, 12 bits of sequence. It is full
// on 2080-07-10 17:30:30 UTC, and sustains 4,096,000 UIDs a second per worker.
// bwmarrin/snowflake and the snowflake half of Meituan's Leaf have the same by default.
func Twitter() Layout { return twitter }

// JavaScriptSafe returns a layout of 52 bits, all of whose UIDs a JavaScript
// number holds exactly: 33 bits of seconds since 2026-01-01T00:00:00Z, 4 bits of
// worker ID, 15 bits of sequence. It lasts until 2298, for 16 workers of 32,768
// UIDs a second each.
func JavaScriptSafe() Layout { return javaScriptSafe }

// Redis returns the layout of the well-known Redis scripts: 41 bits of
// milliseconds, 12 bits of shard (the worker ID), 10 bits of sequence; here since
// 2026-01-01T00:00:00Z, while such scripts often count from 1970: to read theirs,
// make a layout with that Epoch. It lasts until 2095, for 4,096 workers of
// 1,024,000 UIDs a second each.
func Redis() Layout { return redis }

// Discord returns the layout of Discord's IDs: 41 bits of milliseconds since 2015-01-01
// (Discord counts the sign bit as a 42nd), 10 bits of worker ID in the parts worker and
// process, 12 bits of sequence.
func Discord() Layout { return discord }

// Instagram returns the layout of Instagram's IDs: 40 bits of milliseconds since
// 2011-08-24T21:07:01.721Z (of 41, whose highest is the sign bit of a BIGINT), 13 bits of
// shard (the worker ID), 10 bits of sequence. It is full in 2046.
func Instagram() Layout { return instagram }

// Yitter returns the layout that yitter's IdGenerator has by default: milliseconds since
// 2020-02-19T18:20:02Z (02:20:02 of the next day in China), 6 bits of worker ID, 6 bits of
// sequence, whose values below 5 are kept for a clock that goes back and for IDs inserted
// by hand. Here the time has 41 bits, 53 in all, which last until 2089; yitter sets no limit.
//
// That is the base time in Go, Java, C, Rust, Python, PHP and SQL. In C# it is
// 2020-02-20T02:20:02.02Z, in JavaScript 2020-01-01: to read theirs, make a layout with that
// Epoch.
func Yitter() Layout { return yitter }

// Named is a preset layout with the name by which [ParseLayout] finds it.
type Named struct {
	Name   string
	Layout Layout
	// Foreign says that the preset is there to read the IDs of another system. It is
	// no choice for new ones.
	Foreign bool
}

// Presets returns the preset layouts in a new slice: default, twitter, javascript and
// redis; and the foreign ones uidgenerator, discord, instagram and yitter.
func Presets() []Named {
	return []Named{
		{Name: "default", Layout: defaultLayout},
		{Name: "uidgenerator", Layout: uidGenerator, Foreign: true},
		{Name: "twitter", Layout: twitter},
		{Name: "javascript", Layout: javaScriptSafe},
		{Name: "redis", Layout: redis},
		{Name: "discord", Layout: discord, Foreign: true},
		{Name: "instagram", Layout: instagram, Foreign: true},
		{Name: "yitter", Layout: yitter, Foreign: true},
	}
}

// otherNames are further names of presets.
var otherNames = map[string]string{"js": "javascript", "bwmarrin": "twitter", "leaf": "twitter"}

// preset returns the preset layout of a name in lower case; "js" is short for
// "javascript", and "bwmarrin" and "leaf" stand for "twitter". For any other name it
// returns ErrSyntax, with the names that exist.
func preset(name string) (Layout, error) {
	if other, ok := otherNames[name]; ok {
		name = other
	}
	var names []string
	for _, p := range Presets() {
		if p.Name == name {
			return p.Layout, nil
		}
		names = append(names, p.Name)
	}
	return Layout{}, fmt.Errorf("%w: no layout is named %.40q: there are %s", uid.ErrSyntax, name, strings.Join(names, ", "))
}
