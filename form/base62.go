package form

// Base62 has two orders of digits, which libraries call GMP's (after the GNU library) and inverted.
var (
	gmp      = newAlphabet("base62", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
	inverted = newAlphabet("base62 (inverted)", "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
)
