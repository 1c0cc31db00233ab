package uid

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
)

// Number is a UID that is a number in JSON, for APIs whose clients expect one, and for layouts
// of at most 53 bits. JavaScript, and every other reader that keeps numbers as 64-bit floats,
// holds such a number exactly.
//
// In all else it is the [UID] that it converts to: in text, in bytes, in a database and for fmt. Only the
// JSON form is limited to MaxNumber. As keys of a JSON object use UIDs: keys are strings, which
// no Number is read from.
type Number UID

// MaxNumber is the largest Number that has a JSON form, 2^53 - 1: JavaScript's
// Number.MAX_SAFE_INTEGER.
const MaxNumber Number = 1<<53 - 1

// MarshalJSON returns n as a JSON number of digits only, 21501022212111. It returns
// ErrRange when n is negative or above MaxNumber.
func (n Number) MarshalJSON() ([]byte, error) {
	if n < 0 {
		return nil, negativeError(int64(n))
	}
	if n > MaxNumber {
		return nil, fmt.Errorf("%w: %d is above %d, the largest UID to be a JSON number", ErrRange, int64(n), int64(MaxNumber))
	}
	return strconv.AppendInt(make([]byte, 0, maxDigits), int64(n), 10), nil
}

// UnmarshalJSON sets n from a JSON number that [Parse] accepts: digits only, without sign,
// fraction, exponent or leading zero. Other numbers, strings, booleans, arrays and objects are
// refused with ErrSyntax, numbers above MaxNumber with ErrRange. By the convention of
// encoding/json, null leaves n as it was; so does every failure.
func (n *Number) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	u, err := parse(data)
	if errors.Is(err, ErrSyntax) {
		return fmt.Errorf("%w: %s is not a JSON number of digits only", ErrSyntax, quote(data))
	}
	if err != nil || u > UID(MaxNumber) {
		return fmt.Errorf("%w: %s is above %d, the largest UID to be a JSON number", ErrRange, quote(data), int64(MaxNumber))
	}
	*n = Number(u)
	return nil
}

// String returns n in decimal, as [UID.String] does.
func (n Number) String() string { return UID(n).String() }

// Format implements fmt.Formatter as [UID.Format] does.
func (n Number) Format(s fmt.State, verb rune) { format(s, verb, UID(n), "uid.Number") }

// AppendText appends the decimal text of n to b, as [UID.AppendText] does.
func (n Number) AppendText(b []byte) ([]byte, error) { return UID(n).AppendText(b) }

// MarshalText returns the decimal text of n, as [UID.MarshalText] does.
func (n Number) MarshalText() ([]byte, error) { return UID(n).MarshalText() }

// UnmarshalText sets n from its decimal text, as [UID.UnmarshalText] does.
func (n *Number) UnmarshalText(text []byte) error { return (*UID)(n).UnmarshalText(text) }

// AppendBinary appends the binary form of n to b, as [UID.AppendBinary] does.
func (n Number) AppendBinary(b []byte) ([]byte, error) { return UID(n).AppendBinary(b) }

// MarshalBinary returns the binary form of n, as [UID.MarshalBinary] does.
func (n Number) MarshalBinary() ([]byte, error) { return UID(n).MarshalBinary() }

// UnmarshalBinary sets n from its binary form, as [UID.UnmarshalBinary] does.
func (n *Number) UnmarshalBinary(data []byte) error { return (*UID)(n).UnmarshalBinary(data) }

// Scan sets n from a database value, as [UID.Scan] does.
func (n *Number) Scan(src any) error { return (*UID)(n).scan(src, "uid.Number") }

// Value returns n as the int64 of a BIGINT, as [UID.Value] does.
func (n Number) Value() (driver.Value, error) { return UID(n).Value() }
