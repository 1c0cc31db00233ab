package opaque

import (
	"crypto/aes"
	"fmt"
	"slices"

	"github.com/uidgen/uid"
)

// maxTweak is the largest length of a tweak, in bytes.
const maxTweak = 255

// uidBits is the length of the strings that are encrypted: a UID without its sign.
const uidBits = 63

// A Cipher turns UIDs into UIDs and back, one to one, under a single key: for columns and
// protocols that take a BIGINT. A number does not tell its key; to change keys, take a [Sealer]
// or remember elsewhere which number belongs to which key. Make a Cipher with [NewCipher]. It
// is immutable, safe for concurrent use, and shows no key however it is printed.
type Cipher struct {
	ff1   *ff1
	tweak string
}

// NewCipher returns the Cipher of a secret and a tweak. The tweak is the name of the kind of
// ID; it may be empty. NewCipher keeps no reference to the secret's bytes. It returns ErrConfig
// when the secret has not 16, 24 or 32 bytes or only zeros, and when the tweak is longer than
// 255 bytes.
func NewCipher(secret Secret, tweak string) (*Cipher, error) {
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, fmt.Errorf("%w: a secret of %d bytes, and AES takes 16, 24 or 32", uid.ErrConfig, len(secret))
	}
	if !slices.ContainsFunc(secret, func(b byte) bool { return b != 0 }) {
		return nil, fmt.Errorf("%w: a secret of %d bytes, all of them 0", uid.ErrConfig, len(secret))
	}
	if len(tweak) > maxTweak {
		return nil, fmt.Errorf("%w: a tweak of %d bytes, and the most are %d", uid.ErrConfig, len(tweak), maxTweak)
	}
	return &Cipher{ff1: newFF1(block, 2, uidBits, tweak), tweak: tweak}, nil
}

// Encrypt returns the sealed form of u, any number from 0 to uid.Max. It returns ErrRange when
// u is negative. It does not allocate.
func (c *Cipher) Encrypt(u uid.UID) (uid.UID, error) {
	if u < 0 {
		return 0, negative(u)
	}
	return join(c.ff1.encrypt(split(u))), nil
}

// Decrypt returns the UID that Encrypt has turned into sealed. What comes from nowhere turns
// into some UID, too: see the package's comment. It returns ErrRange when sealed is negative. It
// does not allocate.
func (c *Cipher) Decrypt(sealed uid.UID) (uid.UID, error) {
	if sealed < 0 {
		return 0, negative(sealed)
	}
	return join(c.ff1.decrypt(split(sealed))), nil
}

// split returns the upper 31 bits of u and the lower 32, the halves of 63 bits.
func split(u uid.UID) (a, b uint64) { return uint64(u) >> 32, uint64(uint32(u)) }

func join(a, b uint64) uid.UID { return uid.UID(a<<32 | b) }

func negative(u uid.UID) error { return fmt.Errorf("%w: %d is below 0", uid.ErrRange, u) }

// Format writes the tweak, for every verb and flag, and nothing of the key.
func (c Cipher) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "opaque.Cipher of %q", c.tweak) }
