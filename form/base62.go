package form

import "github.com/uidgen/uid"

// Base62 has two orders of digits, which libraries call GMP's (after the GNU library) and inverted.
var (
	gmp      = newAlphabet("base62", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
	inverted = newAlphabet("base62 (inverted)", "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
)

// Base62 returns u in base62 with the digits in the order 0-9, A-Z, a-z: 1 to 11 characters. It is
// the order of GMP and CosId. Some writers (CosId's PAD_START) put zeros in front, to 11 characters;
// this does not, and [ParseBase62] refuses them. It allocates the string.
func Base62(u uid.UID) string { return gmp.format(u) }

// AppendBase62 appends the text that Base62 returns to b. It returns uid.ErrRange, and b as it
// was, when u is negative.
func AppendBase62(b []byte, u uid.UID) ([]byte, error) { return gmp.appendUID(b, u) }

// ParseBase62 reads a UID from the text that [Base62] returns. It returns uid.ErrSyntax when s is
// empty, has another character or a leading 0 ("0" itself aside), and uid.ErrRange when the number
// is above uid.Max. Most texts of [Base62Inverted] are texts of Base62 too, of other UIDs: know who
// wrote them.
func ParseBase62(s string) (uid.UID, error) { return gmp.parse(s) }

// Base62Inverted is [Base62] with the digits in the order 0-9, a-z, A-Z, that of Go's math/big
// and of many URL shorteners.
func Base62Inverted(u uid.UID) string { return inverted.format(u) }

// AppendBase62Inverted appends the text that Base62Inverted returns to b. It returns
// uid.ErrRange, and b as it was, when u is negative.
func AppendBase62Inverted(b []byte, u uid.UID) ([]byte, error) { return inverted.appendUID(b, u) }

// ParseBase62Inverted reads a UID from the text that [Base62Inverted] returns, with the errors of
// [ParseBase62].
func ParseBase62Inverted(s string) (uid.UID, error) { return inverted.parse(s) }
