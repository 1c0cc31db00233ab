package uid

import (
	"database/sql/driver"
	"fmt"
)

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
