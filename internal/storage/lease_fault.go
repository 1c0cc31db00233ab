package storage

import (
	"cmp"
	"fmt"
	"time"
)

// A value is what is written as a text.
type value interface {
	// fault says why no worker can have written the value; "" if one can.
	fault() string
}

func (v leaseText) fault() string {
	if v.High < -1 {
		return fmt.Sprintf("high is %d, below -1", v.High)
	}
	return cmp.Or(late("until", v.Until), late("acquired", v.Acquired), late("renewed", v.Renewed))
}

func (v namespaceText) fault() string {
	switch {
	case v.Floor < -1:
		return fmt.Sprintf("floor is %d, below -1", v.Floor)
	case v.Given < -1:
		return fmt.Sprintf("given is %d, below -1", v.Given)
	case v.First < 0 || v.Last < v.First:
		return fmt.Sprintf("first is %d and last %d, which is no range of worker IDs", v.First, v.Last)
	}
	return cmp.Or(late("made", v.Made), late("renewed", v.Renewed))
}

// latest is the end of the year 9999.
var latest = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)

// late is the fault of a time.
func late(name string, micros int64) string {
	if micros < 0 || micros >= latest.UnixMicro() {
		return fmt.Sprintf("%s is %d µs, which is not within the years 1970 to 9999", name, micros)
	}
	return ""
}
