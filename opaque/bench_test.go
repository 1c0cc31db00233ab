package opaque

import (
	"crypto/aes"
	"fmt"
	"testing"
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

func BenchmarkSealer(b *testing.B) {
	for _, size := range []int{16, 32} {
		s := must(New(Config{Keys: []Key{{1, counting(size)}}, Current: 1, Tweak: "orders"}))
		for name, call := range map[string]func(){
			"SealNumber": func() { must(s.SealNumber(180363646902239241)) },
			"OpenNumber": func() { must(s.OpenNumber(180363646902239241)) },
			"Seal":       func() { must(s.Seal(180363646902239241)) },
			"Open":       func() { must(s.Open("10000000000000")) },
		} {
			b.Run(fmt.Sprintf("AES-%d/%s", 8*size, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					call()
				}
			})
		}
	}
}
