package opaque

import (
	"encoding/hex"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"github.com/uidgen/uid"
)

// maxKeyNumber is the largest number of a key.
const maxKeyNumber = len(digits) - 1

// A Key is a secret and the number under which texts name it.
type Key struct {
	// Number is from 1 to 31. Never give it to another secret.
	Number int

	// Secret is an AES key: 16, 24 or 32 bytes, random ones.
	Secret Secret
}

// A Secret is the bytes of a key. Package fmt, loggers, and encoders of JSON and XML show only its length, also within
// a Key or Config.
type Secret []byte

// String returns a text that does not show the bytes, and so do the other methods.
func (s Secret) String() string { return fmt.Sprintf("[%d secret bytes]", len(s)) }

// Format writes what String returns, for every verb and flag.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

func (s Secret) GoString() string { return s.String() }

func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText writes what String returns. No Secret can be read back from it.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// parseKeys reads keys for ParseSealer. It leaves what they are to New.
func parseKeys(text string) ([]Key, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, fmt.Errorf("%w: no key, such as 1: and 64 hexadecimal digits", uid.ErrSyntax)
	}
	var keys []Key
	for i, word := range words {
		number, secret, found := strings.Cut(word, ":")
		n, err := strconv.ParseUint(number, 10, 8)
		b, err2 := hex.DecodeString(secret)
		if !found || err != nil || err2 != nil {
			return nil, fmt.Errorf("%w: word %d of %d is no key, such as 1: and 64 hexadecimal digits",
				uid.ErrSyntax, i+1, len(words))
		}
		keys = append(keys, Key{Number: int(n), Secret: b})
	}
	return keys, nil
}
