// Package jsontext has errors in JSON as their texts. By themselves they would be {}.
package jsontext

// Of returns an error that JSON has as err's text; nil for nil, which it has as null.
func Of(err error) error {
	if err == nil {
		return nil
	}
	return text{err}
}

type text struct{ error }

func (t text) MarshalText() ([]byte, error) { return []byte(t.Error()), nil }
