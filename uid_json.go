package uid

import "strconv"

// appendJSON appends u as encoding/json writes it, by its MarshalText: that is quicker than a
// MarshalJSON, whose result it would have to parse.
func (u UID) appendJSON(b []byte) []byte {
	b = append(b, '"')
	b = strconv.AppendInt(b, int64(u), 10)
	return append(b, '"')
}

// UnmarshalJSON sets u from a JSON number, or a string without escapes, that [Parse] accepts, with its errors. null and
// failures leave u as it was.
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
