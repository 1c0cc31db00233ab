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

// newCipher returns FF1 on UIDs under a secret and a tweak. It keeps no reference to the secret's bytes. It returns
// ErrConfig when the secret has not 16, 24 or 32 bytes or only zeros, and when the tweak is longer than 255 bytes.
func newCipher(secret Secret, tweak string) (*ff1, error) {
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
	return newFF1(block, 2, uidBits, tweak), nil
}

// seal returns the image of u, any number from 0 to uid.Max, and ErrRange when u is negative. It does not allocate.
func (f *ff1) seal(u uid.UID) (uid.UID, error) {
	if u < 0 {
		return 0, negative(u)
	}
	return join(f.encrypt(split(u))), nil
}

// open returns the UID whose image is sealed, and ErrRange when sealed is negative. It does not allocate.
func (f *ff1) open(sealed uid.UID) (uid.UID, error) {
	if sealed < 0 {
		return 0, negative(sealed)
	}
	return join(f.decrypt(split(sealed))), nil
}

// split returns the upper 31 bits of u and the lower 32, the halves of 63 bits.
func split(u uid.UID) (a, b uint64) { return uint64(u) >> 32, uint64(uint32(u)) }

func join(a, b uint64) uid.UID { return uid.UID(a<<32 | b) }

func negative(u uid.UID) error { return fmt.Errorf("%w: %d is below 0", uid.ErrRange, u) }
