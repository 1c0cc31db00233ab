package form

import (
	"fmt"

	"github.com/uidgen/uid"
)

// crockford has the digits of Douglas Crockford's base32, https://www.crockford.com/base32.html,
// in lower case: no i, l, o and u.
var crockford = newAlphabet("base32", "0123456789abcdefghjkmnpqrstvwxyz")

// Base32Len is the length of every base32 text of a UID.
const Base32Len = 13

// Base32 returns u in Crockford's base32 (0-9 and a-z without i, l, o and u), lower case, always
// 13 characters: 05067s0001009. The texts sort as the numbers do, as bytes and in every
// collation in which digits come before letters and a comes before z; no two differ in case
// alone. It allocates the string.
func Base32(u uid.UID) string {
	var text [len("-") + Base32Len]byte
	b, n := sign(text[:0], u)
	return string(appendBase32(b, n))
}

// AppendBase32 appends the text that Base32 returns to b. It returns uid.ErrRange, and b as it
// was, when u is negative.
func AppendBase32(b []byte, u uid.UID) ([]byte, error) {
	if u < 0 {
		return b, negativeError(u)
	}
	return appendBase32(b, uint64(u)), nil
}

// ParseBase32 reads a UID from the text that [Base32] returns. It returns uid.ErrSyntax when s has
// another length or another character, such as a capital or a hyphen (Crockford's readers take
// those, and i, l and o for digits: this one does not), and uid.ErrRange when the first
// character is above 7, since the number is then above uid.Max.
func ParseBase32(s string) (uid.UID, error) {
	return parseBase32(s)
}

func appendBase32(b []byte, n uint64) []byte {
	for shift := 5 * (Base32Len - 1); shift >= 0; shift -= 5 {
		b = append(b, crockford.digits[n>>shift&31])
	}
	return b
}

func parseBase32[T string | []byte](s T) (uid.UID, error) {
	if len(s) != Base32Len {
		return 0, fmt.Errorf("%w: %.40q is no base32 UID: it has %d bytes, not %d", uid.ErrSyntax, string(s), len(s), Base32Len)
	}
	if err := check(crockford, s); err != nil {
		return 0, err
	}
	if s[0] > '7' {
		return 0, fmt.Errorf("%w: the base32 number %q is above %s (%d)", uid.ErrRange, string(s), Base32(uid.Max), uid.Max)
	}
	var n uint64
	for i := range len(s) {
		n = n<<5 | uint64(crockford.values[s[i]])
	}
	return uid.UID(n), nil
}
