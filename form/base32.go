package form

import (
	"fmt"

	"github.com/uidgen/uid"
)

// crockford has the digits of Douglas Crockford's base32, https://www.crockford.com/base32.html,
// in lower case: no i, l, o and u.
var crockford = newAlphabet("base32", "0123456789abcdefghjkmnpqrstvwxyz")

// base32Len is the length of every base32 text of a UID.
const base32Len = 13

func appendBase32(b []byte, n uint64) []byte {
	for shift := 5 * (base32Len - 1); shift >= 0; shift -= 5 {
		b = append(b, crockford.digits[n>>shift&31])
	}
	return b
}

func parseBase32[T string | []byte](s T) (uid.UID, error) {
	if len(s) != base32Len {
		return 0, fmt.Errorf("%w: %.40q is no base32 UID: it has %d bytes, not %d",
			uid.ErrSyntax, string(s), len(s), base32Len)
	}
	if err := check(crockford, s); err != nil {
		return 0, err
	}
	if s[0] > '7' {
		return 0, fmt.Errorf("%w: the base32 number %q is above %s (%d)",
			uid.ErrRange, string(s), Base32.Text(uid.Max), uid.Max)
	}
	var n uint64
	for i := range len(s) {
		n = n<<5 | uint64(crockford.values[s[i]])
	}
	return uid.UID(n), nil
}
