package uid

import (
	"encoding/binary"
	"fmt"
)

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
