package form

// gmp is base62 in the order of digits that libraries call GMP's, after the GNU library.
var gmp = newAlphabet("base62", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
