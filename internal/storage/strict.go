package storage

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Strict reads a text into the struct that into points to. The text has to be what json.Marshal
// returns of that struct, byte by byte, and "v" in it the version of the form. A store that keeps
// more than [Namespace] has an object of its own around that, and reads it so.
func Strict(s string, version int, into any) error {
	var head struct {
		Version int `json:"v"`
	}
	if json.Unmarshal([]byte(s), &head) != nil {
		return errors.New("it is not a JSON object with a version")
	}
	switch {
	case head.Version < version:
		return errors.New("it has no version that is known")
	case head.Version > version:
		return fmt.Errorf("it was written by a newer version: its form is %d, known are those up to %d",
			head.Version, version)
	}
	decoder := json.NewDecoder(strings.NewReader(s))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil { // not repeated: it may quote the text
		var mistyped *json.UnmarshalTypeError
		if errors.As(err, &mistyped) {
			return fmt.Errorf("%s is of another type than it should be", mistyped.Field)
		}
		return errors.New("it has a field that is not known")
	}
	if again, err := json.Marshal(into); err != nil || string(again) != s {
		return errors.New("a field is missing, or it is written in another way")
	}
	return nil
}
