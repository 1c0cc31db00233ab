package bits

import (
	"fmt"
	"strings"

	"github.com/uidgen/uid"
)

const (
	maxFields    = 8
	maxFieldName = 16
)

// joinFields returns fields as Parts carries them: name:bits, separated by commas; and how many bits they have.
func joinFields(fields []uid.Field) (text string, sum int, err error) {
	if len(fields) > maxFields {
		return "", 0, fmt.Errorf("%w: %d named parts of the worker ID, at most %d", uid.ErrConfig, len(fields),
			maxFields)
	}
	var parts []string
	seen := make(map[string]bool, len(fields))
	for _, f := range fields {
		if !validFieldName(f.Name) {
			return "", 0, fmt.Errorf("%w: %.40q as the name of a part of the worker ID: 1 to %d of a-z, 0-9, '_', "+
				"'-', a letter first", uid.ErrSyntax, f.Name, maxFieldName)
		}
		if seen[f.Name] {
			return "", 0, fmt.Errorf("%w: two parts of the worker ID are named %q", uid.ErrSyntax, f.Name)
		}
		seen[f.Name] = true
		if f.Bits < 1 || f.Bits > 63-sum {
			return "", 0, fmt.Errorf("%w: part %q of the worker ID has %d bits: at least 1 and at most %d in all",
				uid.ErrConfig, f.Name, f.Bits, 63)
		}
		sum += f.Bits
		parts = append(parts, fmt.Sprintf("%s:%d", f.Name, f.Bits))
	}
	return strings.Join(parts, ","), sum, nil
}

func validFieldName(name string) bool {
	return name != "" && len(name) <= maxFieldName && 'a' <= name[0] && name[0] <= 'z' &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}
