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
)

// Default returns the layout that generators use unless told otherwise: 28 bits of
// seconds since 2026-01-01T00:00:00Z, 22 bits of worker ID, 13 bits of sequence.
// It is full on 2034-07-04 21:24:15 UTC, has 4,194,304 worker IDs, and sustains
// 8,192 UIDs a second for each.
func Default() Layout { return defaultLayout }

// UidGenerator returns the layout of Baidu's UidGenerator with its original epoch: as
// Default, but from 2016-05-20 on (1463673600 seconds after 1970). It has been full since
// 2024-11-20 13:24:15 UTC, and is good for reading such UIDs only.
func UidGenerator() Layout { return uidGenerator }

// Twitter returns the layout of Twitter's Snowflake: 41 bits of milliseconds since
// 2010-11-04T01:42:54.657Z, 10 bits of worker ID, 12 bits of sequence. It is full
// on 2080-07-10 17:30:30 UTC, and sustains 4,096,000 UIDs a second per worker.
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

// Named is a preset layout with the name by which [Preset] finds it.
type Named struct {
	Name   string
	Layout Layout
}

// Presets returns the preset layouts in a new slice: default, uidgenerator, twitter,
// javascript and redis.
func Presets() []Named {
	return []Named{
		{"default", defaultLayout},
		{"uidgenerator", uidGenerator},
		{"twitter", twitter},
		{"javascript", javaScriptSafe},
		{"redis", redis},
	}
}

// Preset returns the preset layout of a name in lower case; "js" is short for
// "javascript". For any other name it returns ErrSyntax, with the names that exist.
func Preset(name string) (Layout, error) {
	if name == "js" {
		return javaScriptSafe, nil
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
