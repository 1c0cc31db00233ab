package form

import (
	"crypto/sha256"
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/uidgen/uid"
)

// UUID is a UUID of RFC 9562. It converts to any other [16]byte. In JSON and in a database it is its text, in lower
// case; for a BINARY(16) column pass x[:].
type UUID [16]byte

// A Namespace makes UUIDs of UIDs, and UIDs of these again: Namespace("orders.example.org").UUID(u). Use one for each
// layout and space of worker IDs: the UUIDs are unique beyond it, but for a chance of 1 in 2^59 that two names' hashes
// are equal. The name must not be empty, and is no secret.
type Namespace string

const (
	version = 8
	variant = 0b10

	// Of the UID 60 bits are in the first half of the UUID and 3 in the second, above the
	// namespace's.
	lowBits       = 3
	namespaceBits = 59

	lowMask       = 1<<lowBits - 1
	namespaceMask = 1<<namespaceBits - 1
)

// bits returns the low 59 bits of the UUIDs in n.
func (n Namespace) bits() (uint64, error) {
	if n == "" {
		return 0, fmt.Errorf("%w: a namespace of UUIDs needs a name", uid.ErrConfig)
	}
	hash := sha256.Sum256([]byte(n))
	return binary.BigEndian.Uint64(hash[:]) >> (64 - namespaceBits), nil
}

// UUID returns the UUID of u in this namespace, of version 8 (RFC 9562, section 5.8):
//
//	 48 bits    4      12 bits    2    3 bits    59 bits
//	+----------+------+----------+----+---------+-----------------+
//	| u, first | 1000 | u, next  | 10 | u, last | the namespace's |
//	+----------+------+----------+----+---------+-----------------+
//
// The namespace's bits are the first 59 of its SHA-256, which each call computes. UUIDs of one namespace sort as the
// UIDs do, as bytes, as texts, and in the uuid columns of PostgreSQL and, from 10.11.5 on, of MariaDB; SQL Server
// compares the last bytes first. It returns uid.ErrRange when u is negative, and uid.ErrConfig when n is empty.
func (n Namespace) UUID(u uid.UID) (UUID, error) {
	bits, err := n.bits()
	if err != nil {
		return UUID{}, err
	}
	if u < 0 {
		return UUID{}, negativeError(u)
	}
	var x UUID
	high := uint64(u) >> lowBits
	binary.BigEndian.PutUint64(x[:8], high>>12<<16|version<<12|high&0xfff)
	binary.BigEndian.PutUint64(x[8:], variant<<62|uint64(u)&lowMask<<namespaceBits|bits)
	return x, nil
}

// UID returns the UID of which [Namespace.UUID] made x. It returns uid.ErrSyntax when x is no UUID of n, and
// uid.ErrConfig when n is empty.
func (n Namespace) UID(x UUID) (uid.UID, error) {
	bits, err := n.bits()
	if err != nil {
		return 0, err
	}
	first, second := binary.BigEndian.Uint64(x[:8]), binary.BigEndian.Uint64(x[8:])
	if v := first >> 12 & 0xf; v != version {
		return 0, fmt.Errorf("%w: the UUID %s is of version %d, one of a UID is of %d", uid.ErrSyntax, x, v, version)
	}
	if v := second >> 62; v != variant {
		return 0, fmt.Errorf("%w: the UUID %s has the variant %02b, one of a UID has %02b",
			uid.ErrSyntax, x, v, variant)
	}
	if b := second & namespaceMask; b != bits {
		return 0, fmt.Errorf("%w: the UUID %s is not of the namespace %.40q: its last 59 bits are %015x, not %015x",
			uid.ErrSyntax, x, n, b, bits)
	}
	high := first>>16<<12 | first&0xfff
	return uid.UID(high<<lowBits | second>>namespaceBits&lowMask), nil
}

const uuidLen = 36

// ParseUUID reads a UUID, of any version, from its text. It returns uid.ErrSyntax when s is anything else.
func ParseUUID(s string) (UUID, error) {
	return parseUUID(s)
}

func parseUUID[T string | []byte](s T) (UUID, error) {
	if len(s) != uuidLen {
		return UUID{}, fmt.Errorf("%w: %.40q is no UUID: it has %d bytes, not %d",
			uid.ErrSyntax, string(s), len(s), uuidLen)
	}
	var x UUID
	n := 0 // digits so far
	for i := range len(s) {
		c := s[i]
		switch {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return UUID{}, fmt.Errorf("%w: %q is no UUID: %q at position %d is no hyphen",
					uid.ErrSyntax, string(s), string(s[i:i+1]), i+1)
			}
			continue
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		default:
			return UUID{}, fmt.Errorf("%w: %q is no UUID: %q at position %d is none of 0123456789abcdef",
				uid.ErrSyntax, string(s), string(s[i:i+1]), i+1)
		}
		x[n/2] = x[n/2]<<4 | c
		n++
	}
	return x, nil
}

// String returns the text of x.
func (x UUID) String() string {
	var text [uuidLen]byte
	return string(x.append(text[:0]))
}

func (x UUID) append(b []byte) []byte {
	b = hex.AppendEncode(b, x[:4])
	for i := 4; i < 10; i += 2 {
		b = append(b, '-')
		b = hex.AppendEncode(b, x[i:i+2])
	}
	b = append(b, '-')
	return hex.AppendEncode(b, x[10:])
}

// AppendText appends the text of x to b. The error is always nil.
func (x UUID) AppendText(b []byte) ([]byte, error) {
	return x.append(b), nil
}

// MarshalText returns the text of x. The error is always nil.
func (x UUID) MarshalText() ([]byte, error) {
	return x.append(make([]byte, 0, uuidLen)), nil
}

// UnmarshalText sets x from text as ParseUUID does. A failure leaves it as it was.
func (x *UUID) UnmarshalText(text []byte) error {
	v, err := parseUUID(text)
	return set(x, v, err)
}

// Scan sets x from the text in a string or []byte, or from 16 bytes. It returns uid.ErrSyntax when src is anything
// else, and leaves x as it was. For NULL use sql.Null[form.UUID].
func (x *UUID) Scan(src any) error {
	switch v := src.(type) {
	case []byte:
		if len(v) == len(x) {
			*x = UUID(v)
			return nil
		}
		if v != nil {
			return x.UnmarshalText(v)
		}
		src = nil
	case string:
		parsed, err := parseUUID(v)
		return set(x, parsed, err)
	}
	if src == nil {
		return nullError(*x)
	}
	return fmt.Errorf("%w: a database value of type %T is not a UUID", uid.ErrSyntax, src)
}

// Value returns the text of x. The error is always nil.
func (x UUID) Value() (driver.Value, error) {
	return x.String(), nil
}
