package uid

import "strconv"

// MarshalJSON returns u as a quoted decimal, "180363646902239241": from 2^53 up a JSON
// number would lose its lowest bits in JavaScript, and in every other reader that keeps
// numbers as 64-bit floats. It returns ErrRange when u is negative.
func (u UID) MarshalJSON() ([]byte, error) {
	if u < 0 {
		return nil, negativeError(int64(u))
	}
	return u.appendJSON(make([]byte, 0, maxDigits+2)), nil
}

func (u UID) appendJSON(b []byte) []byte {
	b = append(b, '"')
	b = strconv.AppendInt(b, int64(u), 10)
	return append(b, '"')
}

// UnmarshalJSON sets u from a JSON string or number. Parse must accept it: a number has
// no sign, fraction or exponent, a string no escapes. By the convention of
// encoding/json, null leaves u as it was; so does every failure. It returns ErrSyntax or
// ErrRange as Parse does.
func (u *UID) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	text := data
	if n := len(text); n >= 2 && text[0] == '"' && text[n-1] == '"' {
		text = text[1 : n-1]
	}
	return u.UnmarshalText(text)
}
