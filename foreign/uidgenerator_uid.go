package foreign

import (
	"cmp"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/uidgen/uid"
)

// UidGeneratorUID is a UID in a column that UidGenerator wrote, which may be negative (see
// the format uidgenerator). Its text is the decimal number with a minus sign, in JSON a quoted one.
type UidGeneratorUID int64

// Parts takes u apart by the original layout. For another one call Parse of [ParseFormat]'s.
func (u UidGeneratorUID) Parts() Parts {
	p, err := uidGenerator{}.Parse(int64(u))
	if err != nil {
		panic("foreign: " + err.Error()) // the original layout holds all numbers
	}
	return p
}

// Compare returns -1 if u is older than v, 0 if they are equal, and +1 if u is younger: the
// negative ones come last. In SQL: ORDER BY id < 0, id.
func (u UidGeneratorUID) Compare(v UidGeneratorUID) int {
	return cmp.Compare(uint64(u), uint64(v))
}

// String returns u in decimal.
func (u UidGeneratorUID) String() string { return strconv.FormatInt(int64(u), 10) }

// Scan sets u from a database value: int64, uint64, or the decimal text in a string or
// []byte. It implements sql.Scanner. It returns ErrRange when the number is beyond an int64,
// and ErrSyntax when it is NULL or anything else (scan a column with NULLs into a
// sql.Null[foreign.UidGeneratorUID]). A failure leaves u as it was.
func (u *UidGeneratorUID) Scan(src any) error {
	switch v := src.(type) {
	case int64:
		*u = UidGeneratorUID(v)
		return nil
	case string:
		return u.UnmarshalText([]byte(v))
	case []byte:
		if v != nil {
			return u.UnmarshalText(v)
		}
		src = nil
	}
	if src == nil {
		return fmt.Errorf("%w: NULL is not a UID; scan it into a sql.Null[foreign.UidGeneratorUID]", uid.ErrSyntax)
	}
	var positive uid.UID // knows the other types, and what to say of them
	if err := positive.Scan(src); err != nil {
		return err
	}
	*u = UidGeneratorUID(positive)
	return nil
}

// Value returns u as the int64 of a BIGINT. It implements driver.Valuer and never fails.
func (u UidGeneratorUID) Value() (driver.Value, error) { return int64(u), nil }

// MarshalText returns the decimal text of u. It never fails.
func (u UidGeneratorUID) MarshalText() ([]byte, error) {
	return strconv.AppendInt(nil, int64(u), 10), nil
}

// UnmarshalText sets u from the text that String returns. It returns ErrSyntax when text is
// no such number (it has no spaces, plus signs, leading zeros, or minus zero), and ErrRange
// when it is one beyond an int64. A failure leaves u as it was.
func (u *UidGeneratorUID) UnmarshalText(text []byte) error {
	s := string(text)
	n, err := strconv.ParseInt(s, 10, 64)
	if err == nil && strconv.FormatInt(n, 10) == s {
		*u = UidGeneratorUID(n)
		return nil
	}
	if _, err := uid.Parse(strings.TrimPrefix(s, "-")); errors.Is(err, uid.ErrRange) {
		return fmt.Errorf("%w: %.40q is not within -9223372036854775808 and 9223372036854775807", uid.ErrRange, s)
	}
	return fmt.Errorf("%w: %.40q is not a decimal number", uid.ErrSyntax, s)
}

// UnmarshalJSON sets u from a JSON string or number, as Java's JSON libraries write both.
// It returns the errors of UnmarshalText; null leaves u as it was.
func (u *UidGeneratorUID) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	if n := len(data); n >= 2 && data[0] == '"' && data[n-1] == '"' {
		data = data[1 : n-1]
	}
	return u.UnmarshalText(data)
}
