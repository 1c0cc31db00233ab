package subject

import "github.com/jaevor/go-nanoid"

var nanoid21 = Subject{
	Name: "nanoid", Label: "jaevor/go-nanoid, 21", Kind: Peer, Bits: 168, Module: "github.com/jaevor/go-nanoid",
	Open: func() (Source, error) {
		next, err := nanoid.Standard(21)
		return nanoids{next: next}, err
	},
}

type nanoids struct {
	next func() string
	nothingToClose
}

func (s nanoids) Drawer() Drawer { return s }

func (s nanoids) Draw(n int) error {
	for range n {
		s.next()
	}
	return nil
}

func (s nanoids) Keys(dst []Key) error {
	for i := range dst {
		dst[i] = key21(s.next())
	}
	return nil
}

// key21 packs 21 characters of an alphabet of 64: 126 bits.
func key21(s string) Key {
	var k Key
	for i := range len(s) {
		k[0] = k[0]<<6 | k[1]>>58
		k[1] = k[1]<<6 | uint64(sixBits[s[i]])
	}
	return k
}

var sixBits = func() (t [256]byte) {
	for i, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") {
		t[c] = byte(i)
	}
	return t
}()
