package bits

import (
	"fmt"
	"strings"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/presets"
)

// The presets are built once, without the clock that NewLayout reads.
var (
	defaultLayout = mustBuild(Config{TimeBits: 28, WorkerBits: 22, SequenceBits: 13})
	uidGenerator  = mustBuild(Config{TimeBits: 28, WorkerBits: 22, SequenceBits: 13, Epoch: time.Unix(1463673600, 0)})
	// README's example, with an epoch of the day in Shanghai.
	uidGeneratorReadme = mustBuild(Config{TimeBits: 29, WorkerBits: 21, SequenceBits: 13,
		Epoch: time.Unix(1474300800, 0)})
	twitter = mustBuild(Config{TimeBits: 41, WorkerBits: 10, SequenceBits: 12, Unit: time.Millisecond,
		Epoch: time.UnixMilli(1288834974657)})
	javaScriptSafe = mustBuild(Config{TimeBits: 33, WorkerBits: 4, SequenceBits: 15})
	redis          = mustBuild(Config{TimeBits: 41, WorkerBits: 12, SequenceBits: 10, Unit: time.Millisecond})
	discord        = mustBuild(Config{TimeBits: 41, WorkerBits: 10, SequenceBits: 12, Unit: time.Millisecond,
		Epoch:  time.UnixMilli(1420070400000),
		Fields: []uid.Field{{Name: "worker", Bits: 5}, {Name: "process", Bits: 5}}})
	instagram = mustBuild(Config{TimeBits: 40, WorkerBits: 13, SequenceBits: 10, Unit: time.Millisecond,
		Epoch: time.UnixMilli(1314220021721)})
	yitter = mustBuild(Config{TimeBits: 41, WorkerBits: 6, SequenceBits: 6, Unit: time.Millisecond,
		Epoch: time.UnixMilli(1582136402000)})
)

// Default returns the layout that generators use unless told otherwise: 28 bits of seconds since 2026-01-01T00:00:00Z,
// 22 bits of worker ID, 13 bits of sequence. It is full on 2034-07-04 21:24:15 UTC, and sustains 8,192 UIDs a second
// for each worker.
func Default() Layout { return defaultLayout }

// JavaScriptSafe returns a layout of 52 bits, all of whose UIDs a JavaScript number holds exactly: 33 bits of seconds
// since 2026-01-01T00:00:00Z, 4 bits of worker ID, 15 bits of sequence. It lasts until 2298, and sustains 32,768 UIDs a
// second for each worker.
func JavaScriptSafe() Layout { return javaScriptSafe }

// named are the layouts that ParseLayout finds by name.
var named = map[string]Layout{
	"default": defaultLayout, "uidgenerator": uidGenerator, "uidgenerator-readme": uidGeneratorReadme,
	"twitter": twitter, "javascript": javaScriptSafe,
	"redis": redis, "discord": discord, "instagram": instagram, "yitter": yitter,
}

// otherNames are further names of presets.
var otherNames = map[string]string{"js": "javascript", "bwmarrin": "twitter", "leaf": "twitter"}

// preset returns the preset layout of a name in lower case, and else ErrSyntax.
func preset(name string) (Layout, error) {
	if other, ok := otherNames[name]; ok {
		name = other
	}
	if l, ok := named[name]; ok {
		return l, nil
	}
	var names []string
	for _, p := range presets.Layouts() {
		names = append(names, p.Name)
	}
	return Layout{}, fmt.Errorf("%w: no layout is named %.40q: there are %s",
		uid.ErrSyntax, name, strings.Join(names, ", "))
}
