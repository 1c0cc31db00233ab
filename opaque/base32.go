package opaque

import (
	"fmt"
	"strings"

	"github.com/uidgen/uid"
)

const base32Length = 13

func formatBase32(u uid.UID) string {
	var b [base32Length]byte
	for i := range b {
		b[base32Length-1-i] = digits[u>>(5*i)&31]
	}
	return string(b[:])
}

func parseBase32(s string) (uid.UID, error) {
	if len(s) != base32Length {
		return 0, fmt.Errorf("%w: %.40q has %d bytes, want %d", uid.ErrSyntax, s, len(s), base32Length)
	}
	var n uint64
	for i := range base32Length {
		value := strings.IndexByte(digits, s[i])
		if value < 0 {
			return 0, fmt.Errorf("%w: %q has a character that is not one of %s", uid.ErrSyntax, s, digits)
		}
		n = n<<5 | uint64(value)
	}
	if s[0] > '7' {
		return 0, fmt.Errorf("%w: %q is above 7zzzzzzzzzzzz", uid.ErrRange, s)
	}
	return uid.UID(n), nil
}
