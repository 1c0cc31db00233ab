package bits

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/uidgen/uid"
)

// maxText is the length of the longest description of a layout, in bytes.
const maxText = 255

// String describes l completely, in at most 255 bytes of ASCII, as ParseLayout reads it:
//
//	28/22/13 unit=1s epoch=2026-01-01T00:00:00Z
//	41/10/12 unit=1ms epoch=2010-11-04T01:42:54.657Z fields=datacenter:5,worker:5
//
// The zero Layout gives "0/0/0".
func (l Layout) String() string {
	text := fmt.Sprintf("%d/%d/%d", l.timeBits, l.workerBits, l.sequenceBits)
	if l.IsZero() {
		return text
	}
	text += fmt.Sprintf(" unit=%v epoch=%s", l.unit, stamp(l.epoch))
	if l.fields != "" {
		text += " fields=" + l.fields
	}
	return text
}

// ParseLayout reads a layout from a text for people to type: the name of a preset, or the widths of time, worker ID and
// sequence,
//
//	28/22/13
//	41ms/10/12
//	37/16/10 unit=10ms epoch=2020-01-01T00:00:00Z
//	41ms/10/12 fields=datacenter:5,worker:5
//
// where the time may have a unit (ns, us, ms, s, m, h) and unit=, epoch= and fields= may follow in any order. The
// defaults are those of Config.
//
// The presets, whose last five are for reading what others made:
//
//	default       28/22/13    [Default]
//	javascript    33/4/15     [JavaScriptSafe]; also js
//	twitter       41ms/10/12  Twitter's Snowflake, until 2080; also bwmarrin and leaf, whose default it is
//	redis         41ms/12/10  of the well-known scripts; here from 2026, until 2095
//	uidgenerator  28/22/13    Baidu's UidGenerator from 2016-05-19T16:00:00Z, full since 2024; see package foreign
//	uidgenerator-readme
//	              29/21/13    the settings in its README, from 2016-09-19T16:00:00Z, until 2033
//	discord       41ms/10/12  Discord from 2015, with the parts worker and process
//	instagram     40ms/13/10  Instagram from 2011-08-24T21:07:01.721Z
//	yitter        41ms/6/6    yitter's IdGenerator from 2020-02-19T18:20:02Z; sequences below 5 are its reserve
//
// Check the epoch of what you read: Redis scripts often count from 1970, yitter's C# from 2020-02-20T02:20:02.02Z and
// its JavaScript from 2020-01-01.
//
// It returns ErrSyntax when the text is anything else or longer than 255 bytes, and NewLayout's errors.
func ParseLayout(text string) (Layout, error) {
	if len(text) > maxText {
		return Layout{}, fmt.Errorf("%w: a layout's text has at most %d bytes, not %d",
			uid.ErrSyntax, maxText, len(text))
	}
	words := strings.Fields(text)
	if len(words) == 1 && !strings.Contains(words[0], "/") {
		return preset(words[0])
	}
	cfg, err := parseConfig(words)
	if err != nil {
		return Layout{}, fmt.Errorf("%w: %.60q is not a layout: %w", uid.ErrSyntax, text, err)
	}
	return NewLayout(cfg)
}

// MustParseLayout is ParseLayout for program variables; it panics where ParseLayout fails.
func MustParseLayout(text string) Layout {
	l, err := ParseLayout(text)
	if err != nil {
		panic(err)
	}
	return l
}

// textUnits are the units that may follow the number of time bits.
var textUnits = map[string]time.Duration{
	"ns": time.Nanosecond, "us": time.Microsecond, "ms": time.Millisecond,
	"s": time.Second, "m": time.Minute, "h": time.Hour,
}

func parseConfig(words []string) (cfg Config, err error) {
	if len(words) == 0 {
		return cfg, fmt.Errorf("it is empty")
	}
	widths := strings.Split(words[0], "/")
	if len(widths) != 3 {
		return cfg, fmt.Errorf("it has to begin with T/W/S, the bits of time, worker ID and sequence")
	}
	digits := strings.TrimRight(widths[0], "nsumh")
	seen := map[string]bool{}
	if suffix := widths[0][len(digits):]; suffix != "" {
		if cfg.Unit = textUnits[suffix]; cfg.Unit == 0 {
			return cfg, fmt.Errorf("the unit %.20q is none of ns, us, ms, s, m, h", suffix)
		}
		seen["unit"] = true
	}
	for _, f := range []struct {
		bits *int
		text string
	}{{&cfg.TimeBits, digits}, {&cfg.WorkerBits, widths[1]}, {&cfg.SequenceBits, widths[2]}} {
		if *f.bits, err = parseBits(f.text); err != nil {
			return cfg, err
		}
	}
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		if seen[key] {
			return cfg, fmt.Errorf("it says twice what its %s is", key)
		}
		switch key {
		case "unit":
			cfg.Unit, err = time.ParseDuration(value)
			if err == nil && cfg.Unit <= 0 {
				err = fmt.Errorf("the unit %v is not above 0", cfg.Unit)
			}
		case "epoch":
			cfg.Epoch, err = time.Parse(time.RFC3339Nano, value)
			if err == nil && cfg.Epoch.IsZero() {
				// To Config the zero Time would mean the default.
				err = fmt.Errorf("the epoch %s is before 1970", value)
			}
		case "fields":
			cfg.Fields, err = parseFields(value)
		default:
			err = fmt.Errorf("%.20q is none of unit=, epoch=, fields=", word)
		}
		if err != nil {
			return cfg, err
		}
		seen[key] = true
	}
	return cfg, nil
}

func parseFields(text string) (fields []uid.Field, err error) {
	for part := range strings.SplitSeq(text, ",") {
		name, width, ok := strings.Cut(part, ":")
		if !ok {
			return nil, fmt.Errorf("the part %.20q is not name:bits", part)
		}
		n, err := parseBits(width)
		if err != nil {
			return nil, err
		}
		fields = append(fields, uid.Field{Name: name, Bits: n})
	}
	return fields, nil
}

// parseBits reads a number of bits. It leaves the check to NewLayout, whose error can name
// all the numbers.
func parseBits(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return 0, fmt.Errorf("%.20q is not a number of bits", text)
	}
	return int(n), nil
}
