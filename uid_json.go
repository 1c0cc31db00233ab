package uid

// encoding/json writes a UID by its MarshalText: that is quicker than a MarshalJSON, whose result
// it would have to parse.

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
