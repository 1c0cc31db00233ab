package bits

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/uidgen/uid"
)

// Fields returns the named parts of the worker ID in a new slice, the highest bits first; none if there are none.
func (l Layout) Fields() []uid.Field {
	if l.fields == "" {
		return nil
	}
	fields, err := parseFields(l.fields)
	if err != nil {
		panic(err) // joinFields made it
	}
	return fields
}

// WorkerID makes a worker ID of the values of all its named parts. It returns ErrRange when a value is negative or does
// not fit its part, and ErrSyntax when a part is missing or unknown.
func (l Layout) WorkerID(values map[string]int64) (int64, error) {
	fields := l.Fields()
	var id int64
	for _, f := range fields {
		v, ok := values[f.Name]
		if !ok {
			return 0, fmt.Errorf("%w: no value for the part %q of the worker ID (%s)", uid.ErrSyntax, f.Name, l.fields)
		}
		if most := int64(1)<<f.Bits - 1; v < 0 || v > most {
			return 0, fmt.Errorf("%w: %s %d is not within 0 and %d, the most that %d bits hold",
				uid.ErrRange, f.Name, v, most, f.Bits)
		}
		id = id<<f.Bits | v
	}
	if len(values) > len(fields) {
		known := func(name string) bool {
			return slices.ContainsFunc(fields, func(f uid.Field) bool { return f.Name == name })
		}
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(values)), known)
		return 0, fmt.Errorf("%w: the worker ID of %s has no part named %.60q",
			uid.ErrSyntax, l, strings.Join(names, ", "))
	}
	if len(fields) == 0 {
		return 0, fmt.Errorf("%w: the worker ID of %s has no named parts", uid.ErrSyntax, l)
	}
	return id, nil
}
