package opaque

import (
	"crypto/aes"
	"testing"

	"github.com/uidgen/uid"
)

// BenchmarkAES is the floor: the ten blocks of AES that a UID takes.
func BenchmarkAES(b *testing.B) {
	block := must(aes.NewCipher(counting(16)))
	text := make([]byte, 16)
	for b.Loop() {
		for range rounds {
			block.Encrypt(text, text)
		}
	}
}

func BenchmarkEncrypt(b *testing.B) {
	for _, size := range []int{16, 32} {
		b.Run(map[int]string{16: "AES-128", 32: "AES-256"}[size], func(b *testing.B) {
			c := must(newCipher(counting(size), "orders"))
			b.ReportAllocs()
			u := uid.UID(180363646902239241)
			for b.Loop() {
				u, _ = c.seal(u)
			}
		})
	}
}

func BenchmarkDecrypt(b *testing.B) {
	c := must(newCipher(counting(16), "orders"))
	b.ReportAllocs()
	u := uid.UID(180363646902239241)
	for b.Loop() {
		u, _ = c.open(u)
	}
}

func BenchmarkSeal(b *testing.B) {
	s := must(New(Config{Keys: []Key{{1, counting(16)}}, Current: 1, Tweak: "orders"}))
	b.ReportAllocs()
	for b.Loop() {
		must(s.Seal(180363646902239241))
	}
}

func BenchmarkOpen(b *testing.B) {
	s := must(New(Config{Keys: []Key{{1, counting(16)}}, Current: 1, Tweak: "orders"}))
	b.ReportAllocs()
	for b.Loop() {
		must(s.Open("10000000000000"))
	}
}
