package form

import (
	"fmt"

	"github.com/uidgen/uid"
)

// An alphabet is the digits of a positional number system.
type alphabet struct {
	name   string     // for errors
	digits string     // the digit of 0 first
	values [256]uint8 // of each byte: what it counts as a digit, or noDigit
}

// noDigit is the value of a byte that is no digit.
const noDigit = 0xff

func newAlphabet(name, digits string) *alphabet {
	a := &alphabet{name: name, digits: digits}
	for b := range a.values {
		a.values[b] = noDigit
	}
	for value, digit := range []byte(digits) {
		a.values[digit] = uint8(value)
	}
	return a
}

// maxDigits is how many digits 2^63 has at most, with 58 or more of them to choose from.
const maxDigits = 11

// append writes n, the highest digit first, without leading zeros.
func (a *alphabet) append(b []byte, n uint64) []byte {
	var text [maxDigits]byte
	i, base := len(text), uint64(len(a.digits))
	for {
		i--
		text[i] = a.digits[n%base]
		if n /= base; n == 0 {
			return append(b, text[i:]...)
		}
	}
}

// sign appends the minus sign of a negative u, and returns the number that is to follow.
func sign(b []byte, u uid.UID) ([]byte, uint64) {
	if u < 0 {
		return append(b, '-'), -uint64(u)
	}
	return b, uint64(u)
}

// parse reads what append writes.
func (a *alphabet) parse(text string) (uid.UID, error) {
	if text == "" {
		return 0, fmt.Errorf("%w: an empty text is no %s UID", uid.ErrSyntax, a.name)
	}
	if err := check(a, text); err != nil {
		return 0, err
	}
	if text[0] == a.digits[0] && len(text) > 1 {
		return 0, fmt.Errorf("%w: %.40q is no %s UID: it begins with %q, the digit of zero",
			uid.ErrSyntax, text, a.name, a.digits[:1])
	}
	base := uint64(len(a.digits))
	most := uint64(uid.Max) / base // a digit may follow
	var n uint64
	for i := range len(text) {
		if n > most {
			return 0, a.rangeError(text)
		}
		n = n*base + uint64(a.values[text[i]]) // at most uid.Max and a digit: below 2^64
	}
	if n > uint64(uid.Max) {
		return 0, a.rangeError(text)
	}
	return uid.UID(n), nil
}

// check returns an error when a byte of text is no digit.
func check[T string | []byte](a *alphabet, text T) error {
	for i := range len(text) {
		if a.values[text[i]] == noDigit {
			return fmt.Errorf("%w: %.40q is no %s UID: %q at position %d is none of %s",
				uid.ErrSyntax, string(text), a.name, string(text[i:i+1]), i+1, a.digits)
		}
	}
	return nil
}

func (a *alphabet) rangeError(text string) error {
	return fmt.Errorf("%w: the %s number %.40q is above %s (%d)",
		uid.ErrRange, a.name, text, Encoding{a}.Text(uid.Max), uid.Max)
}

func negativeError(u uid.UID) error {
	return fmt.Errorf("%w: %d is below 0", uid.ErrRange, u)
}
