package form

import (
	"bytes"
	"database/sql/driver"
	"fmt"
	"strings"

	"github.com/uidgen/uid"
)

// A Prefixed is an empty struct that stands for a kind of things, and knows the prefix of their IDs: 1 to 63 characters
// of a-z, 0-9 and _, the last of which is not _. The prefix must always be the same.
//
//	type Order struct{}
//
//	func (Order) Prefix() string { return "order" }
//
//	type OrderID = form.ID[Order]
type Prefixed interface {
	~struct{}
	Prefix() string
}

// ID is the UID of one kind of things, for APIs. Its text is the prefix, an underscore and [Base32]:
// order_05067s0001009. The texts of one kind sort as the IDs do. It is no TypeID.
//
// In JSON it is that text (numbers are refused, null leaves an ID as it was), in a database the BIGINT. It converts
// from and to a UID.
//
// A prefix that is not allowed (see [Prefixed]) makes all that writes or reads texts return uid.ErrConfig; String puts
// quotes around it.
type ID[P Prefixed] uid.UID

// ParseID reads an ID from its text. It returns uid.ErrSyntax when s does not begin with the prefix of P and an
// underscore, and else as Parse of [Base32].
func ParseID[P Prefixed](s string) (ID[P], error) {
	return parseID[P](s)
}

func parseID[P Prefixed, T string | []byte](s T) (ID[P], error) {
	var kind P
	prefix := kind.Prefix()
	if err := checkPrefix(prefix); err != nil {
		return 0, err
	}
	n := len(prefix)
	if len(s) <= n || string(s[:n]) != prefix || s[n] != '_' {
		return 0, fmt.Errorf("%w: %.40q does not begin with %s_", uid.ErrSyntax, string(s), prefix)
	}
	u, err := parseBase32(s[n+1:])
	return ID[P](u), err
}

// maxPrefix is the length of the longest prefix; it is TypeID's.
const maxPrefix = 63

// checkPrefix returns an error when an ID can't have the prefix.
func checkPrefix(prefix string) error {
	n := len(prefix)
	if n == 0 || n > maxPrefix {
		return fmt.Errorf("%w: the prefix %.70q has %d bytes, not 1 to %d", uid.ErrConfig, prefix, n, maxPrefix)
	}
	for i := range n {
		if c := prefix[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_') {
			return fmt.Errorf("%w: the prefix %q has %q at position %d: a-z, 0-9 and _ can be used",
				uid.ErrConfig, prefix, prefix[i:i+1], i+1)
		}
	}
	if prefix[n-1] == '_' {
		return fmt.Errorf("%w: the prefix %q ends with an underscore", uid.ErrConfig, prefix)
	}
	return nil
}

// String returns the text of id. It allocates the string.
func (id ID[P]) String() string {
	var kind P
	prefix := kind.Prefix()
	if checkPrefix(prefix) != nil {
		return fmt.Sprintf("%.70q_%s", prefix, Base32.Text(uid.UID(id)))
	}
	var text [maxPrefix + len("_-") + base32Len]byte
	b, n := sign(append(append(text[:0], prefix...), '_'), uid.UID(id))
	return string(appendBase32(b, n))
}

// AppendText appends the text of id to b. It returns uid.ErrRange, and b as it was, when id is negative.
func (id ID[P]) AppendText(b []byte) ([]byte, error) {
	var kind P
	prefix := kind.Prefix()
	if err := checkPrefix(prefix); err != nil {
		return b, err
	}
	if id < 0 {
		return b, negativeError(uid.UID(id))
	}
	b = append(append(b, prefix...), '_')
	return appendBase32(b, uint64(id)), nil
}

// MarshalText returns the text of id, with the errors of AppendText.
func (id ID[P]) MarshalText() ([]byte, error) {
	b, err := id.AppendText(make([]byte, 0, 32))
	if err != nil {
		return nil, err
	}
	return b, nil
}

// UnmarshalText sets id from text as ParseID does. A failure leaves it as it was.
func (id *ID[P]) UnmarshalText(text []byte) error {
	v, err := parseID[P](text)
	return set(id, v, err)
}

// Scan sets id from what uid.UID.Scan takes, or from its text, with the errors of either. A failure leaves id as it
// was. For NULL use sql.Null.
func (id *ID[P]) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		return nullError(*id)
	case []byte:
		if v == nil {
			return nullError(*id)
		}
		if bytes.IndexByte(v, '_') >= 0 {
			return id.UnmarshalText(v)
		}
	case string:
		if strings.IndexByte(v, '_') >= 0 {
			parsed, err := parseID[P](v)
			return set(id, parsed, err)
		}
	}
	return (*uid.UID)(id).Scan(src)
}

// Value returns id as an int64, and uid.ErrRange when id is negative.
func (id ID[P]) Value() (driver.Value, error) {
	return uid.UID(id).Value()
}
