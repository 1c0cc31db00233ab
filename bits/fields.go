package bits

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/uidgen/uid"
)

const (
	maxFields    = 8
	maxFieldName = 16
)

// joinFields returns fields as Parts carries them: name:bits, separated by commas.
func joinFields(fields []uid.Field) (string, error) {
	if len(fields) > maxFields {
		return "", fmt.Errorf("%w: %d named parts of the worker ID, at most %d", uid.ErrConfig, len(fields), maxFields)
	}
	var b strings.Builder
	sum := 0
	seen := make(map[string]bool, len(fields))
	for i, f := range fields {
		if !validFieldName(f.Name) {
			return "", fmt.Errorf("%w: %.40q as the name of a part of the worker ID: 1 to %d of a-z, 0-9, '_', '-', "+
				"a letter first", uid.ErrSyntax, f.Name, maxFieldName)
		}
		if seen[f.Name] {
			return "", fmt.Errorf("%w: two parts of the worker ID are named %q", uid.ErrSyntax, f.Name)
		}
		seen[f.Name] = true
		if f.Bits < 1 || f.Bits > 63-sum {
			return "", fmt.Errorf("%w: part %q of the worker ID has %d bits: at least 1 and at most %d in all",
				uid.ErrConfig, f.Name, f.Bits, 63)
		}
		sum += f.Bits
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(f.Name)
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(f.Bits))
	}
	return b.String(), nil
}

func validFieldName(name string) bool {
	if name == "" || len(name) > maxFieldName {
		return false
	}
	for i := range len(name) {
		c := name[i]
		letter := 'a' <= c && c <= 'z'
		if !letter && (i == 0 || c != '_' && c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return true
}
