package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cmd/uid/internal/anyform"
	"github.com/uidgen/uid/foreign"
	"github.com/uidgen/uid/internal/presets"
)

// formFlag says what a number is read by: a layout, or the format of another generator.
type formFlag struct {
	layoutFlag // zero if there is none that reads UIDs in order
	format     foreign.Format
}

func newFormFlag() formFlag { return formFlag{layoutFlag: newLayoutFlag()} }

const formUsage = layoutUsage + `;
or sonyflake, sonyflake2, with what is not as usual:
"sonyflake2 40/7/16 unit=1ms" (time, sequence, machine),
"sonyflake epoch=2020-01-01T00:00:00Z"; or uidgenerator
likewise, which is read with its negative UIDs`

func (f *formFlag) Set(text string) (err error) {
	if !namesFormat(text) {
		f.format = nil
		return f.layoutFlag.Set(text)
	}
	if f.format, err = foreign.ParseFormat(text); err != nil {
		return err
	}
	f.set, f.Layout = true, bits.Layout{}
	if g := f.format; g.Name() == "uidgenerator" {
		f.Layout = g.Layout()
	}
	return nil
}

func (f *formFlag) String() string {
	if f.format != nil {
		return f.format.String()
	}
	return f.layoutFlag.String()
}

// namesFormat reports whether the text begins with the name of a foreign format.
func namesFormat(text string) bool {
	words := strings.Fields(text)
	return len(words) > 0 && slices.Contains(presets.Formats(), words[0])
}

// byFormat reports whether id is read by the format, not by the layout.
func (f *formFlag) byFormat(id int64) bool { return f.format != nil && (id < 0 || f.IsZero()) }

// check returns an error if the form does not hold id.
func (f *formFlag) check(id int64) (err error) {
	if f.byFormat(id) {
		_, err = f.format.Parse(id)
	} else {
		_, err = f.Tick(uid.UID(id))
	}
	return err
}

const readAsUsage = "the form of the UIDs, where their texts do not tell:\n" +
	"base32, base58, base58-flickr, base62, base62-inverted,\nprefix=NAME, uuid=NAMESPACE"

// readAsVar is the form in which UIDs are read; nil is any that tells by itself which it is.
func readAsVar(to **anyform.Form) value[*anyform.Form] {
	return value[*anyform.Form]{to, "FORM", func(name string) (*anyform.Form, error) {
		f, err := anyform.Named(name)
		return &f, err
	}}
}

// minusError explains a number below 0 that was taken for a flag. For any other error it
// returns nil.
func minusError(err error) error {
	e, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return nil
	}
	digits := e.GetSpecifiedShortnames()
	if digits == "" || len(digits) > len("9223372036854775808") || strings.Trim(digits, "0123456789") != "" {
		return nil
	}
	return badInput("-%s begins as a flag does: put -- before it, as in \"uid parse -- -%[1]s\"", digits)
}
