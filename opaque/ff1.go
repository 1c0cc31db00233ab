package opaque

import (
	"crypto/cipher"
	"encoding/binary"
	"math/bits"
	"sync"
)

// rounds is the number of rounds of FF1's Feistel network.
const rounds = 10

// ff1 is FF1 (NIST SP 800-38G, algorithms 7 and 8) for numeral strings of one radix and length
// under one key and tweak. The halves of a string are numbers below 2^63. The names in the
// comments are the standard's.
type ff1 struct {
	block cipher.Block // AES under the key

	// sizes are radix^u, which even rounds reckon with, and radix^v, for odd ones.
	sizes [2]modulus

	// high and low are the block that a round encrypts, but for its number and its B: the last
	// block of Q, xored with what CBC-MAC makes of P and of the blocks of Q before it. These
	// depend on nothing but the key, the tweak and the form of the strings.
	high, low uint64

	numberAt uint // the bit of that block at which the round's number begins: 8b
	surplus  uint // how many bits of the encrypted block are not in S: 128 - 8d
}

// newFF1 returns FF1 for numeral strings of the given radix, below 2^16, and length. Half of it,
// rounded up, has to be less than 2^56 as a number.
func newFF1(block cipher.Block, radix uint64, length int, tweak string) *ff1 {
	u := length / 2
	v := length - u
	f := &ff1{block: block, sizes: [2]modulus{power(radix, u), power(radix, v)}}
	b := (bits.Len64(uint64(f.sizes[1])-1) + 7) / 8
	d := 4*((b+3)/4) + 4
	f.numberAt, f.surplus = uint(8*b), uint(128-8*d)

	p := []byte{1, 2, 1, 0, byte(radix >> 8), byte(radix), rounds, byte(u)}
	p = binary.BigEndian.AppendUint32(p, uint32(length))
	p = binary.BigEndian.AppendUint32(p, uint32(len(tweak)))
	q := make([]byte, (len(tweak)+1+b+15)/16*16) // the number and B stay 0
	copy(q, tweak)

	last := len(q) - 16
	chain := make([]byte, 16)
	for _, text := range [][]byte{p, q[:last]} {
		for ; len(text) > 0; text = text[16:] {
			for i := range chain {
				chain[i] ^= text[i]
			}
			block.Encrypt(chain, chain)
		}
	}
	f.high = binary.BigEndian.Uint64(q[last:]) ^ binary.BigEndian.Uint64(chain)
	f.low = binary.BigEndian.Uint64(q[last+8:]) ^ binary.BigEndian.Uint64(chain[8:])
	return f
}

// encrypt takes the halves of a numeral string to those of its encryption.
func (f *ff1) encrypt(a, b uint64) (uint64, uint64) {
	s := scratch.Get().(*[16]byte)
	for i := range uint64(rounds) {
		m := f.sizes[i&1]
		a, b = b, m.reduce(0, a+m.reduce(f.round(s, i, b)))
	}
	scratch.Put(s)
	return a, b
}

// decrypt takes the halves back.
func (f *ff1) decrypt(a, b uint64) (uint64, uint64) {
	s := scratch.Get().(*[16]byte)
	for i := uint64(rounds); i > 0; {
		i--
		m := f.sizes[i&1]
		a, b = m.reduce(0, b+uint64(m)-m.reduce(f.round(s, i, a))), a
	}
	scratch.Put(s)
	return a, b
}

// round returns y, the number that round i makes of b.
func (f *ff1) round(s *[16]byte, i, b uint64) (high, low uint64) {
	binary.BigEndian.PutUint64(s[:8], f.high)
	binary.BigEndian.PutUint64(s[8:], f.low^i<<f.numberAt^b)
	f.block.Encrypt(s[:], s[:])
	high, low = binary.BigEndian.Uint64(s[:8]), binary.BigEndian.Uint64(s[8:])
	return high >> f.surplus, low>>f.surplus | high<<(64-f.surplus)
}

// scratch holds blocks between calls: what is passed to a cipher.Block would else be allocated
// by each.
var scratch = sync.Pool{New: func() any { return new([16]byte) }}

// A modulus is the number of values of a half, at most 2^63.
type modulus uint64

func power(radix uint64, length int) modulus {
	m := modulus(1)
	for range length {
		m *= modulus(radix)
	}
	return m
}

// reduce returns high*2^64 + low modulo m.
func (m modulus) reduce(high, low uint64) uint64 {
	if m&(m-1) == 0 {
		return low & uint64(m-1)
	}
	return bits.Rem64(high, low, uint64(m))
}
