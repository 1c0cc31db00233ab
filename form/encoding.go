package form

import "github.com/uidgen/uid"

// An Encoding is a way to write the number of a UID in digits and letters. The zero one cannot be used.
type Encoding struct{ digits *alphabet }

var (
	// Base32 is Crockford's (0-9 and a-z without i, l, o and u), lower case, always 13 characters. The texts sort as
	// the numbers do, as bytes and in every collation in which digits come before letters and a before z.
	Base32 = Encoding{crockford}

	// Base58 has the digits in Bitcoin's order, 1-9, A-Z, a-z: 1 to 11 characters. Libraries that write the eight bytes
	// of the number put a 1 in front for each leading byte that is 0; this does not. Most texts of Base58Flickr are
	// texts of Base58 too, of other UIDs: know who wrote them.
	Base58 = Encoding{bitcoin}

	// Base58Flickr is Base58 with the digits in Flickr's order, 1-9, a-z, A-Z, which bwmarrin/snowflake writes.
	Base58Flickr = Encoding{flickr}

	// Base62 has the digits in the order 0-9, A-Z, a-z, that of GMP and CosId: 1 to 11 characters. Parse refuses the
	// zeros that CosId's PAD_START puts in front.
	Base62 = Encoding{gmp}
)

// Text returns the text of u.
func (e Encoding) Text(u uid.UID) string {
	var text [len("-") + base32Len]byte
	b, n := sign(text[:0], u)
	return string(e.append(b, n))
}

// Append appends the text of u to b. It returns uid.ErrRange, and b as it was, when u is negative.
func (e Encoding) Append(b []byte, u uid.UID) ([]byte, error) {
	if u < 0 {
		return b, negativeError(u)
	}
	return e.append(b, uint64(u)), nil
}

func (e Encoding) append(b []byte, n uint64) []byte {
	if e.digits == crockford {
		return appendBase32(b, n)
	}
	return e.digits.append(b, n)
}

// Parse reads a UID from the text that Text returns.
func (e Encoding) Parse(s string) (uid.UID, error) {
	if e.digits == crockford {
		return parseBase32(s)
	}
	return e.digits.parse(s)
}
