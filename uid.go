package uid

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// UID is a unique ID: a non-negative integer of up to 63 bits, ordered by time. Package bits takes it apart.
//
// Its text is the decimal number, in JSON a quoted one, because readers that keep numbers as 64-bit floats, such as
// JavaScript, lose the lowest bits from 2^53 up. In a database it is a BIGINT, in binary encodings eight bytes. A
// negative UID can only come from a conversion; only String and Format write it out.
type UID int64

// Max is the largest UID.
const Max UID = math.MaxInt64

// maxDigits is the number of decimal digits of Max.
const maxDigits = 19

// Parse reads a UID from the text that String returns: decimal digits without sign, space, underscore or leading zero.
// It returns ErrSyntax for anything else, and ErrRange for a number above Max. It allocates only if it fails.
func Parse(s string) (UID, error) {
	return parse(s)
}

// MustParse is Parse, but panics where Parse fails.
func MustParse(s string) UID {
	u, err := parse(s)
	if err != nil {
		panic(err)
	}
	return u
}

func parse[T string | []byte](s T) (UID, error) {
	if len(s) == 0 || len(s) > maxDigits || len(s) > 1 && s[0] == '0' {
		return 0, parseError(s)
	}
	// 19 digits make less than 2^64. Three groups are made of them, the first of which begins with as
	// many zeros as are missing. They do not wait for each other.
	if len(s) <= 16 {
		return parseShort(s)
	}
	short := 8 * (len(s) - 16)
	first, ok1 := parseEight(loadEight(s, 0)<<(64-short) | zeros>>short)
	second, ok2 := parseEight(loadEight(s, len(s)-16))
	third, ok3 := parseEight(loadEight(s, len(s)-8))
	n := first*1e16 + second*1e8 + third
	if !ok1 || !ok2 || !ok3 || n > uint64(Max) {
		return 0, parseError(s)
	}
	return UID(n), nil
}

// parseShort is parse for texts of 1 to 16 bytes.
func parseShort[T string | []byte](s T) (UID, error) {
	var n uint64
	for i := range len(s) {
		d := uint64(s[i]) - '0'
		if d > 9 {
			return 0, parseError(s)
		}
		n = n*10 + d
	}
	return UID(n), nil
}

// zeros is eight digits 0.
const zeros = 0x3030303030303030

// loadEight returns eight bytes, the first one in the lowest byte. The compiler makes one load of it.
func loadEight[T string | []byte](s T, at int) uint64 {
	s = s[at : at+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// parseEight returns the number of eight digits, the first one in the lowest byte, and whether they
// are digits. It adds up neighbours in pairs, all pairs at once: digits, then numbers of two and of
// four digits (Johnny Lee, "Fast numeric string to int", 2016).
func parseEight(v uint64) (n uint64, ok bool) {
	const (
		high = 0xf0f0f0f0f0f0f0f0
		six  = 0x0606060606060606
	)
	// A byte is a digit if its upper half is 3, and still is when 6 is added.
	ok = (v&high)|(v+six)&high>>4 == 0x3333333333333333
	v = v & 0x0f0f0f0f0f0f0f0f * (10<<8 + 1) >> 8
	v = v & 0x00ff00ff00ff00ff * (100<<16 + 1) >> 16
	v = v & 0x0000ffff0000ffff * (10000<<32 + 1) >> 32
	return v, ok
}

// parseError says why parse refuses s. The syntax is judged before the range, so that
// "99999999999999999999x" is not reported as a number.
func parseError[T string | []byte](s T) error {
	if len(s) == 0 || len(s) > 1 && s[0] == '0' {
		return syntaxError(s)
	}
	for i := range len(s) {
		if s[i]-'0' > 9 {
			return syntaxError(s)
		}
	}
	return fmt.Errorf("%w: %s is above %d", ErrRange, quote(s), Max)
}

func syntaxError[T string | []byte](s T) error {
	return fmt.Errorf("%w: %s is not a decimal UID", ErrSyntax, quote(s))
}

func negativeError(n int64) error {
	return fmt.Errorf("%w: %d is below 0", ErrRange, n)
}

// quote returns s quoted, or its beginning: an error text has to stay short and
// printable whatever it was that could not be read.
func quote[T string | []byte](s T) string {
	const most = 40
	if len(s) <= most {
		return strconv.Quote(string(s))
	}
	return fmt.Sprintf("%q... (%d bytes)", string(s[:most]), len(s))
}

// String returns u in decimal, with a minus sign if u is negative.
func (u UID) String() string {
	return string(appendDecimal(make([]byte, 0, maxDigits+1), u))
}

// AppendText appends the decimal text of u to b, or returns ErrRange, and b as it was, when u is negative. It allocates
// only to grow b.
func (u UID) AppendText(b []byte) ([]byte, error) {
	if u < 0 {
		return b, negativeError(int64(u))
	}
	return appendDecimal(b, u), nil
}

// MarshalText returns the decimal text of u, or ErrRange when u is negative.
func (u UID) MarshalText() ([]byte, error) {
	if u < 0 {
		return nil, negativeError(int64(u))
	}
	return appendDecimal(make([]byte, 0, maxDigits), u), nil
}

// UnmarshalText sets u from text as Parse does; a failure leaves u as it was.
func (u *UID) UnmarshalText(text []byte) error {
	v, err := parse(text)
	if err != nil {
		return err
	}
	*u = v
	return nil
}

// Number is a UID that is a number in JSON, for clients that expect one, and for layouts of at most 53 bits, which
// JavaScript holds exactly. All other methods are those of [UID]. As keys of a JSON object use UIDs: no Number is read
// from a key.
type Number UID

// MaxNumber is the largest Number that has a JSON form, JavaScript's Number.MAX_SAFE_INTEGER.
const MaxNumber Number = 1<<53 - 1

// MarshalJSON returns n as a JSON number. It returns ErrRange when n is negative or above MaxNumber.
func (n Number) MarshalJSON() ([]byte, error) {
	if n < 0 {
		return nil, negativeError(int64(n))
	}
	if n > MaxNumber {
		return nil, fmt.Errorf("%w: %d is above %d, the largest UID to be a JSON number", ErrRange, n, MaxNumber)
	}
	return strconv.AppendInt(make([]byte, 0, maxDigits), int64(n), 10), nil
}

// UnmarshalJSON sets n from a JSON number that [Parse] accepts. It returns ErrRange for one above MaxNumber, and
// ErrSyntax for all else. null and failures leave n as it was.
func (n *Number) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	u, err := parse(data)
	if errors.Is(err, ErrSyntax) {
		return fmt.Errorf("%w: %s is not a JSON number of digits only", ErrSyntax, quote(data))
	}
	if err != nil || u > UID(MaxNumber) {
		return fmt.Errorf("%w: %s is above %d, the largest UID to be a JSON number", ErrRange, quote(data), MaxNumber)
	}
	*n = Number(u)
	return nil
}

func (n Number) String() string { return UID(n).String() }

func (n Number) Format(s fmt.State, verb rune) { format(s, verb, UID(n), "uid.Number") }

func (n Number) AppendText(b []byte) ([]byte, error) { return UID(n).AppendText(b) }

func (n Number) MarshalText() ([]byte, error) { return UID(n).MarshalText() }

func (n *Number) UnmarshalText(text []byte) error { return (*UID)(n).UnmarshalText(text) }

func (n Number) AppendBinary(b []byte) ([]byte, error) { return UID(n).AppendBinary(b) }

func (n Number) MarshalBinary() ([]byte, error) { return UID(n).MarshalBinary() }

func (n *Number) UnmarshalBinary(data []byte) error { return (*UID)(n).UnmarshalBinary(data) }

func (n *Number) Scan(src any) error { return (*UID)(n).scan(src, "uid.Number") }

func (n Number) Value() (driver.Value, error) { return UID(n).Value() }
