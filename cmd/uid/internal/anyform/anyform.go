// Package anyform reads and writes a UID in each form of package form.
package anyform

import (
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/form"
)

var (
	// base32 is a text of form.Base32, or of a form.ID with any prefix. Package form refuses texts that do not fit.
	base32 = regexp.MustCompile(`^(?:[a-z0-9_]{0,62}[a-z0-9]_)?([0-9a-z]{13})$`)
	prefix = regexp.MustCompile(`^[a-z0-9_]{0,62}[a-z0-9]$`)
)

// Parse reads a UID from decimal digits, base32 (05067s0001009), base32 behind a prefix
// (order_05067s0001009), or a UUID (05018f90-0001-8001-88e0-b456d8069047) of any namespace, as package form
// writes them. 13 digits that do not begin with 0 are decimal; behind a prefix they are base32. It returns the
// errors of uid.Parse and of package form.
func Parse(text string) (uid.UID, error) {
	u, err := uid.Parse(text)
	if err == nil {
		return u, nil
	}
	if is := base32.FindStringSubmatch(text); is != nil {
		return form.Base32.Parse(is[1])
	}
	if x, no := form.ParseUUID(text); no == nil {
		return ofUUID(x)
	}
	if errors.Is(err, uid.ErrSyntax) {
		err = fmt.Errorf("%w, and no base32 either, such as 05067s0001009 or order_05067s0001009, and no UUID", err)
	}
	return 0, err
}

// ofUUID is form.Namespace.UID for the namespace that the UUID is of, whose name nobody has to know.
func ofUUID(x form.UUID) (uid.UID, error) {
	first, second := binary.BigEndian.Uint64(x[:8]), binary.BigEndian.Uint64(x[8:])
	if first>>12&0xf != 8 || second>>62 != 0b10 {
		return 0, fmt.Errorf("%w: the UUID %s is not of version 8 and the variant of RFC 9562, as those of UIDs are",
			uid.ErrSyntax, x)
	}
	return uid.UID((first>>16<<12|first&0xfff)<<3 | second>>59&7), nil
}

// A Form is one way to write UIDs, and to read what was written so.
type Form struct {
	Write func(uid.UID) (string, error)
	Parse func(string) (uid.UID, error)
}

// forms are those without a parameter. Of the last three no text tells which it is.
var forms = map[string]Form{
	"base32":        {plainly(form.Base32.Text), form.Base32.Parse},
	"base58":        {plainly(form.Base58.Text), form.Base58.Parse},
	"base58-flickr": {plainly(form.Base58Flickr.Text), form.Base58Flickr.Parse},
	"base62":        {plainly(form.Base62.Text), form.Base62.Parse},
}

func plainly(write func(uid.UID) string) func(uid.UID) (string, error) {
	return func(u uid.UID) (string, error) { return write(u), nil }
}

// Read reads a UID in the form, or for nil in any that tells by itself which it is.
func (f *Form) Read(text string) (uid.UID, error) {
	if f == nil {
		return Parse(text)
	}
	return f.Parse(text)
}

// Names lists what Named takes.
const Names = "base32, base58, base58-flickr, base62, prefix=NAME, uuid=NAMESPACE"

// Named returns the form of a name, which is one of Names. It returns uid.ErrConfig for any other.
func Named(name string) (Form, error) {
	if f, is := forms[name]; is {
		return f, nil
	}
	switch kind, of, _ := strings.Cut(name, "="); {
	case kind == "prefix" && prefix.MatchString(of):
		return Form{
			func(u uid.UID) (string, error) { return of + "_" + form.Base32.Text(u), nil },
			func(text string) (uid.UID, error) {
				rest, is := strings.CutPrefix(text, of+"_")
				if !is {
					return 0, fmt.Errorf("%w: %.80q does not begin with %s_", uid.ErrSyntax, text, of)
				}
				return form.Base32.Parse(rest)
			},
		}, nil
	case kind == "uuid" && of != "":
		n := form.Namespace(of)
		return Form{
			func(u uid.UID) (string, error) {
				x, err := n.UUID(u)
				return x.String(), err
			},
			func(text string) (uid.UID, error) {
				x, err := form.ParseUUID(text)
				if err != nil {
					return 0, err
				}
				return n.UID(x)
			},
		}, nil
	}
	return Form{}, fmt.Errorf("%w: %.40q is not one of %s", uid.ErrConfig, name, Names)
}
