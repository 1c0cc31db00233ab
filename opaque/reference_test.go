package opaque

import (
	"bytes"
	"crypto/cipher"
	"encoding/binary"
	"math/big"
	"slices"
)

// A textbook is FF1 as NIST SP 800-38G writes it down, step by step, with numbers of any size.
type textbook struct {
	block cipher.Block
	radix int64
	tweak []byte
}

func (f textbook) num(x []uint16) *big.Int {
	n := new(big.Int)
	for _, numeral := range x {
		n.Mul(n, big.NewInt(f.radix))
		n.Add(n, big.NewInt(int64(numeral)))
	}
	return n
}

func (f textbook) str(m int, n *big.Int) []uint16 {
	x := make([]uint16, m)
	n, digit := new(big.Int).Set(n), new(big.Int)
	for i := range x {
		n.DivMod(n, big.NewInt(f.radix), digit)
		x[m-1-i] = uint16(digit.Int64())
	}
	return x
}

// prf is algorithm 6.
func (f textbook) prf(x []byte) []byte {
	y := make([]byte, 16)
	cipher.NewCBCEncrypter(f.block, y).CryptBlocks(x, x)
	return x[len(x)-16:]
}

// y is the number of step 6vi that a round adds: steps 2 to 5 and 6i to 6iv.
func (f textbook) y(round, n int, b []uint16) *big.Int {
	u, v := n/2, n-n/2
	values := new(big.Int).Exp(big.NewInt(f.radix), big.NewInt(int64(v)), nil)
	bytesOfB := (values.Sub(values, big.NewInt(1)).BitLen() + 7) / 8
	d := 4*((bytesOfB+3)/4) + 4

	text := []byte{1, 2, 1, byte(f.radix >> 16), byte(f.radix >> 8), byte(f.radix), 10, byte(u % 256)}
	text = binary.BigEndian.AppendUint32(text, uint32(n))
	text = binary.BigEndian.AppendUint32(text, uint32(len(f.tweak)))
	text = append(text, f.tweak...)
	for (len(text)+bytesOfB+1)%16 != 0 {
		text = append(text, 0)
	}
	text = append(text, byte(round))
	text = append(text, f.num(b).FillBytes(make([]byte, bytesOfB))...)
	s := bytes.Clone(f.prf(text))
	r := bytes.Clone(s)
	for j := byte(1); len(s) < d; j++ {
		next := bytes.Clone(r)
		next[15] ^= j
		f.block.Encrypt(next, next)
		s = append(s, next...)
	}
	return new(big.Int).SetBytes(s[:d])
}

// encrypt is algorithm 7, and decrypt algorithm 8.
func (f textbook) encrypt(x []uint16) []uint16 {
	n := len(x)
	a, b := x[:n/2], x[n/2:]
	for i := range 10 {
		c := new(big.Int).Add(f.num(a), f.y(i, n, b))
		a, b = b, f.str(len(a), c.Mod(c, f.values(len(a))))
	}
	return slices.Concat(a, b)
}

func (f textbook) decrypt(x []uint16) []uint16 {
	n := len(x)
	a, b := x[:n/2], x[n/2:]
	for i := 9; i >= 0; i-- {
		c := new(big.Int).Sub(f.num(b), f.y(i, n, a))
		a, b = f.str(len(b), c.Mod(c, f.values(len(b)))), a
	}
	return slices.Concat(a, b)
}

func (f textbook) values(m int) *big.Int {
	return new(big.Int).Exp(big.NewInt(f.radix), big.NewInt(int64(m)), nil)
}
