package form

import "github.com/uidgen/uid"

// The digits of base58 are letters and digits without 0, I, O and l. There are two orders:
// Bitcoin's (https://datatracker.ietf.org/doc/html/draft-msporny-base58-03) and Flickr's
// (https://www.flickr.com/groups/api/discuss/72157616713786392/).
var (
	bitcoin = newAlphabet("base58", "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
	flickr  = newAlphabet("base58 (Flickr's)", "123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ")
)

// Base58 returns u in base58 with the digits in Bitcoin's order, 1-9, A-Z, a-z: 1 to 11
// characters. It is the number that is written, without leading zeros: libraries that write the
// eight bytes of a number put a 1, the digit of zero, in front for each leading byte that is 0.
// It allocates the string.
func Base58(u uid.UID) string { return bitcoin.format(u) }

// AppendBase58 appends the text that Base58 returns to b. It returns uid.ErrRange, and b as it
// was, when u is negative.
func AppendBase58(b []byte, u uid.UID) ([]byte, error) { return bitcoin.appendUID(b, u) }

// ParseBase58 reads a UID from the text that [Base58] returns. It returns uid.ErrSyntax when s is
// empty, has another character or a leading 1, the digit of zero ("1" itself aside), and
// uid.ErrRange when the number is above uid.Max. Most texts of [Base58Flickr] are texts of Base58
// too, of other UIDs: know who wrote them.
func ParseBase58(s string) (uid.UID, error) { return bitcoin.parse(s) }

// Base58Flickr is [Base58] with the digits in Flickr's order, 1-9, a-z, A-Z, which
// bwmarrin/snowflake writes.
func Base58Flickr(u uid.UID) string { return flickr.format(u) }

// AppendBase58Flickr appends the text that Base58Flickr returns to b. It returns uid.ErrRange,
// and b as it was, when u is negative.
func AppendBase58Flickr(b []byte, u uid.UID) ([]byte, error) { return flickr.appendUID(b, u) }

// ParseBase58Flickr reads a UID from the text that [Base58Flickr] returns, with the errors of
// [ParseBase58].
func ParseBase58Flickr(s string) (uid.UID, error) { return flickr.parse(s) }
