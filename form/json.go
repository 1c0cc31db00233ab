package form

import (
	"encoding"
	"fmt"

	"github.com/uidgen/uid"
)

// quote returns the text of v, whose characters need no escape, as a JSON string.
func quote[T encoding.TextAppender](v T) ([]byte, error) {
	b, err := v.AppendText(append(make([]byte, 0, 40), '"'))
	if err != nil {
		return nil, err
	}
	return append(b, '"'), nil
}

// unquote hands the text within a JSON string to v. It leaves escapes as they are: no text that a
// Parse accepts has any. It does nothing for null.
func unquote(v encoding.TextUnmarshaler, data []byte) error {
	if string(data) == "null" {
		return nil
	}
	n := len(data)
	if n < 2 || data[0] != '"' || data[n-1] != '"' {
		return fmt.Errorf("%w: %.40q is no JSON string", uid.ErrSyntax, data)
	}
	return v.UnmarshalText(data[1 : n-1])
}
