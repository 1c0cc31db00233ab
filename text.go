package uid

import (
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"strconv"
)

// appendDecimal is strconv.AppendInt(b, int64(u), 10), and as parse does it takes eight digits at a time.
func appendDecimal(b []byte, u UID) []byte {
	if u < 1e16 {
		return strconv.AppendInt(b, int64(u), 10)
	}
	n := uint64(u)
	top, rest := n/1e16, n%1e16
	if top >= 100 {
		b = append(b, byte('0'+top/100))
	}
	if top >= 10 {
		b = append(b, byte('0'+top/10%10))
	}
	b = append(b, byte('0'+top%10))
	b = binary.LittleEndian.AppendUint64(b, eightDigits(rest/1e8))
	return binary.LittleEndian.AppendUint64(b, eightDigits(rest%1e8))
}

// eightDigits returns the digits of n < 1e8, the first one in the lowest byte. It splits numbers of eight,
// four and two digits in two, all of a size at once. The factors are 2^20/100 and 2^10/10, rounded up.
func eightDigits(n uint64) uint64 {
	high := n / 10000
	n = high | (n-10000*high)<<32
	high = n * 10486 >> 20 & 0x0000007f0000007f
	n = high | (n-100*high)<<16
	high = n * 103 >> 10 & 0x000f000f000f000f
	n = high | (n-10*high)<<8
	return n | zeros
}

// binarySize is the number of bytes of a UID's binary form.
const binarySize = 8

// AppendBinary appends u to b as eight bytes, the highest first, which sort as UIDs do, or returns ErrRange, and b as
// it was, when u is negative.
func (u UID) AppendBinary(b []byte) ([]byte, error) {
	if u < 0 {
		return b, negativeError(int64(u))
	}
	return binary.BigEndian.AppendUint64(b, uint64(u)), nil
}

// MarshalBinary returns the eight bytes of AppendBinary, or ErrRange when u is negative. Clients of Redis write them:
// give them u.String() where others are to read a number.
func (u UID) MarshalBinary() ([]byte, error) {
	if u < 0 {
		return nil, negativeError(int64(u))
	}
	return u.AppendBinary(make([]byte, 0, binarySize))
}

// UnmarshalBinary sets u from eight bytes. It returns ErrSyntax for more or fewer and ErrRange for a number above Max;
// a failure leaves u as it was.
func (u *UID) UnmarshalBinary(data []byte) error {
	if len(data) != binarySize {
		return fmt.Errorf("%w: a UID has %d bytes, not %d", ErrSyntax, binarySize, len(data))
	}
	return u.Scan(binary.BigEndian.Uint64(data))
}

// Format implements fmt.Formatter: %s and %v print the decimal text, %q that text quoted, %#v Go syntax,
// uid.UID(180363646902239241), and the other verbs of integers the number, as fmt does.
func (u UID) Format(s fmt.State, verb rune) {
	format(s, verb, u, "uid.UID")
}

// format is Format for the UID and for the types made of it.
func format(s fmt.State, verb rune, u UID, typeName string) {
	switch verb {
	case 'v', 's', 'q':
		if verb == 'v' && s.Flag('#') {
			fmt.Fprintf(s, "%s(%d)", typeName, int64(u))
			return
		}
		fmt.Fprintf(s, fmt.FormatString(s, verb), u.String())
	case 'b', 'c', 'd', 'o', 'O', 'x', 'X', 'U':
		fmt.Fprintf(s, fmt.FormatString(s, verb), int64(u))
	default:
		fmt.Fprintf(s, "%%!%c(%s=%d)", verb, typeName, int64(u)) // as fmt reports a wrong verb
	}
}

// encoding/json writes a UID by its MarshalText: that is quicker than a MarshalJSON, whose result
// it would have to parse.

// UnmarshalJSON sets u from a JSON number, or a string without escapes, that [Parse] accepts, with its errors. null and
// failures leave u as it was.
func (u *UID) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	text := data
	if n := len(text); n >= 2 && text[0] == '"' && text[n-1] == '"' {
		text = text[1 : n-1]
	}
	return u.UnmarshalText(text)
}

// Scan sets u from a database value: int64, uint64, or the decimal text in a string or []byte. It returns ErrRange when
// the number is negative or above Max, and ErrSyntax for all else, NULL too: scan a column that may hold it into a
// sql.Null[uid.UID]. A failure leaves u as it was.
func (u *UID) Scan(src any) error {
	return u.scan(src, "uid.UID")
}

// scan is Scan for the UID and for the types made of it.
func (u *UID) scan(src any, typeName string) error {
	switch v := src.(type) {
	case int64:
		if v < 0 {
			return negativeError(v)
		}
		*u = UID(v)
		return nil
	case uint64:
		if v > uint64(Max) {
			return fmt.Errorf("%w: %d is above %d", ErrRange, v, Max)
		}
		*u = UID(v)
		return nil
	case []byte:
		if v != nil {
			return u.UnmarshalText(v)
		}
		src = nil
	case string:
		parsed, err := parse(v)
		if err != nil {
			return err
		}
		*u = parsed
		return nil
	}
	if src == nil {
		return fmt.Errorf("%w: NULL is not a UID; scan it into a sql.Null[%s]", ErrSyntax, typeName)
	}
	return fmt.Errorf("%w: a database value of type %T is not a UID", ErrSyntax, src)
}

// Value returns u as the int64 of a BIGINT, or ErrRange when u is negative.
func (u UID) Value() (driver.Value, error) {
	if u < 0 {
		return nil, negativeError(int64(u))
	}
	return int64(u), nil
}
