package uid

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
)

// Number is a UID that is a number in JSON, for clients that expect one, and for layouts of at most 53 bits, which
// JavaScript holds exactly. All other methods are those of [UID]. As keys of a JSON object use UIDs: no Number is read
// from a key.
type Number UID

// MaxNumber is the largest Number that has a JSON form, JavaScript's Number.MAX_SAFE_INTEGER.
const MaxNumber Number = 1<<53 - 1

// MarshalJSON returns n as a JSON number. It returns ErrRange when n is negative or above MaxNumber.
func (n Number) MarshalJSON() ([]byte, error) {
	if n < 0 {
		return nil, negativeError(int64(n))
	}
	if n > MaxNumber {
		return nil, fmt.Errorf("%w: %d is above %d, the largest UID to be a JSON number", ErrRange, n, MaxNumber)
	}
	return strconv.AppendInt(make([]byte, 0, maxDigits), int64(n), 10), nil
}

// UnmarshalJSON sets n from a JSON number that [Parse] accepts. It returns ErrRange for one above MaxNumber, and
// ErrSyntax for all else. null and failures leave n as it was.
func (n *Number) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	u, err := parse(data)
	if errors.Is(err, ErrSyntax) {
		return fmt.Errorf("%w: %s is not a JSON number of digits only", ErrSyntax, quote(data))
	}
	if err != nil || u > UID(MaxNumber) {
		return fmt.Errorf("%w: %s is above %d, the largest UID to be a JSON number", ErrRange, quote(data), MaxNumber)
	}
	*n = Number(u)
	return nil
}

func (n Number) String() string { return UID(n).String() }

func (n Number) Format(s fmt.State, verb rune) { format(s, verb, UID(n), "uid.Number") }

func (n Number) AppendText(b []byte) ([]byte, error) { return UID(n).AppendText(b) }

func (n Number) MarshalText() ([]byte, error) { return UID(n).MarshalText() }

func (n *Number) UnmarshalText(text []byte) error { return (*UID)(n).UnmarshalText(text) }

func (n Number) AppendBinary(b []byte) ([]byte, error) { return UID(n).AppendBinary(b) }

func (n Number) MarshalBinary() ([]byte, error) { return UID(n).MarshalBinary() }

func (n *Number) UnmarshalBinary(data []byte) error { return (*UID)(n).UnmarshalBinary(data) }

func (n *Number) Scan(src any) error { return (*UID)(n).scan(src, "uid.Number") }

func (n Number) Value() (driver.Value, error) { return UID(n).Value() }
